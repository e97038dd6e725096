import type { Transaction } from '../../../db/connect.ts';
import { structureOf } from '../../backups/last-good/structure.ts';
import { lockHealth } from '../../servers/health/queries.ts';
import type { Observation } from '../../servers/jobs.ts';
import { findLiveGuild, storeSeenGuild } from '../queries.ts';
import { assessHealth } from './assess.ts';

/**
 * Stores what was read of a guild, unless something newer is known. False where it did not count: the
 * guild was not read in full, or the server has moved on.
 */
export const storeObservation = async (
  tx: Transaction,
  { accountId, serverId, guildId, seen, seenAt }: Observation,
): Promise<boolean> => {
  const { roles, channels, managedRoles = new Set<string>() } = seen;
  const server = await lockHealth(tx, { accountId, serverId });
  if (!roles || !channels || server?.guildId !== guildId) return false;
  const inGuild = { accountId, serverId, guildId };
  const known = await findLiveGuild(tx, inGuild);
  if (known && known.changedAt > seenAt) return false;
  const row = {
    ...{ isInGuild: true, name: known?.name ?? null, managedRoleIds: [...managedRoles] },
    ...structureOf(seen, guildId),
  };
  await storeSeenGuild(tx, inGuild, row, seenAt);
  return true;
};

/** The server's guild was read. */
export const observeGuild = async (tx: Transaction, observation: Observation): Promise<void> => {
  if (await storeObservation(tx, observation)) await assessHealth(tx, observation);
};
