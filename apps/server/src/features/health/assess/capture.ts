import type { Health } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Capture } from '../../backups/capture/execute-backup.ts';
import { findLastGood } from '../../backups/queries.ts';
import { lockHealth } from '../../servers/health/queries.ts';
import { findLiveGuild } from '../queries.ts';
import { worseOf } from '../rules.ts';
import { judge, liveOf } from './assess.ts';
import { storeObservation } from './observe.ts';

/**
 * How a server stood when a backup was taken: by what the backup holds, and by what was reported while it
 * was taken. A backup that saw channels and roles is also how the guild is from now on.
 */
export const judgeCapture = async (tx: Transaction, capture: Capture): Promise<Health> => {
  const { accountId, serverId, guildId, seen, accepted } = capture;
  const server = await lockHealth(tx, { accountId, serverId });
  if (!server) return 'UNKNOWN';
  const structure = accepted
    ? accepted.structure
    : (await findLastGood(tx, { id: serverId, accountId }))?.structure;
  const basis = { structure: structure ?? undefined, pointers: server };
  const captured = {
    isInGuild: true,
    ...(seen.roles && { roleIds: seen.roles }),
    ...(seen.channels && { channelIds: seen.channels }),
  };
  const { health } = await judge(tx, { accountId, serverId }, { live: captured, ...basis });
  if (await storeObservation(tx, capture)) return health;
  const live = await findLiveGuild(tx, { accountId, serverId, guildId });
  if (!live) return health;
  const reported = await judge(tx, { accountId, serverId }, { live: liveOf(live), ...basis });
  return worseOf(health, reported.health);
};
