import { deleteMembers, listSomeMemberIds } from '../../members/queries/person.ts';
import type { ServerPurger } from '../../servers/jobs.ts';
import { deleteTokensUnless } from '../../vault/queries.ts';
import { lockTokensOfMembers, membersConsentingToToken } from '../queries.ts';

/**
 * Deletes members of a deleted server, and the tokens that no other server of the account needs.
 *
 * It stands here since it needs both features: only the members show whether a token is needed. The
 * tokens are not revoked one by one, since a million calls would achieve no more than the deletion.
 */
export const purgeMembersAndTokens: ServerPurger = async (tx, serverId, limit) => {
  const memberIds = await listSomeMemberIds(tx, serverId, limit);
  if (memberIds.length === 0) return 0;
  const tokenIds = await lockTokensOfMembers(tx, memberIds);
  await deleteMembers(tx, memberIds);
  if (tokenIds.length > 0) await deleteTokensUnless(tx, tokenIds, membersConsentingToToken(tx));
  return memberIds.length;
};
