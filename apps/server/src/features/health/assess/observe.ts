import type { Transaction } from '../../../db/connect.ts';
import { structureOf } from '../../backups/last-good/structure.ts';
import type { SeenIds } from '../../servers/guild/guild-summary.ts';
import { lockHealth } from '../../servers/health/queries.ts';
import type { Observation } from '../../servers/jobs.ts';
import { withoutBot } from '../listen/live-guild.ts';
import { findLiveGuild, type LiveRow, storeSeenGuild } from '../queries.ts';
import { assessHealth, type HealthDependencies } from './assess.ts';

/**
 * Stores what was read of a guild, unless something newer is known. False where it did not count: the
 * guild was not read in full, or the server has moved on.
 */
export const storeObservation = async (
  tx: Transaction,
  { accountId, serverId, guildId, seen, seenAt }: Observation,
): Promise<boolean> => {
  const server = await lockHealth(tx, { accountId, serverId });
  if (server?.guildId !== guildId) return false;
  const inGuild = { accountId, serverId, guildId };
  const known = await findLiveGuild(tx, inGuild);
  if (known && known.changedAt > seenAt && !known.isOfFuture) return false;
  const row = seen === 'gone' ? withoutBot(known) : rowOf(seen, guildId);
  if (row) await storeSeenGuild(tx, inGuild, row, seenAt);
  return row !== undefined;
};

/** Undefined where it was not seen in full. */
const rowOf = (seen: SeenIds, guildId: string): LiveRow | undefined => {
  const { roles, channels, managedRoles = [] } = seen;
  if (!roles || !channels) return undefined;
  const structure = structureOf(seen, guildId);
  return { isInGuild: true, absence: null, managedRoleIds: [...managedRoles], ...structure };
};

/** The server's guild was read. */
export const observeGuild = async (
  dependencies: HealthDependencies,
  tx: Transaction,
  observation: Observation,
): Promise<void> => {
  const { accountId, serverId } = observation;
  if (!(await storeObservation(tx, observation))) return;
  await assessHealth(dependencies, tx, { accountId, serverId });
};
