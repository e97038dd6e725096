import type { Queryable } from '../../../db/connect.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { isAccessRefused } from '../../backups/capture/failure-message.ts';
import { listVerifiedRoles } from '../../servers/queries.ts';

type Place = { accountId: string; guildId: string };

/**
 * The roles that newcomers get by an invite or by being verified: nobody knows who has them next. Undefined
 * where the bot may not read the invites.
 */
export const readOpenRoles = async (
  db: Queryable,
  guild: Pick<GuildPlatform, 'readRolesOfInvites'>,
  place: Place,
): Promise<string[] | undefined> => {
  const [ofInvites, verified] = await Promise.all([
    guild.readRolesOfInvites().catch(ignoreRefusal),
    listVerifiedRoles(db, place),
  ]);
  return ofInvites && [...new Set([...ofInvites, ...verified])];
};

const ignoreRefusal = (error: unknown): undefined => {
  if (!isAccessRefused(error)) throw error;
};
