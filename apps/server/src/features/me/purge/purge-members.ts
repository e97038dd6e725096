import type { ServerPurger } from '../../servers/jobs.ts';
import {
  deleteMembers,
  deleteUnwantedTokens,
  listSomeMembers,
  lockTokensOfMembers,
} from './queries.ts';

/**
 * The members of a deleted server, and the tokens that no other server of its owner counts on. They
 * are not revoked one by one: a million calls would tell the platform nothing that our forgetting
 * them does not.
 */
export const purgeMembersAndTokens: ServerPurger = async (tx, serverId, most) => {
  const memberIds = await listSomeMembers(tx, serverId, most);
  if (memberIds.length === 0) return 0;
  const tokenIds = await lockTokensOfMembers(tx, memberIds);
  await deleteMembers(tx, memberIds);
  if (tokenIds.length > 0) await deleteUnwantedTokens(tx, tokenIds);
  return memberIds.length;
};
