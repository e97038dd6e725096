import type { Database } from '../../../db/connect.ts';
import { lockFreeServers, storeAllLastScheduled } from '../../servers/queries.ts';
import { type DueServer, listTurns } from './queries.ts';

/**
 * Of servers that may be due, those that are, and those that somebody else holds: these are looked at when their
 * turn is taken. What is stored of the others is behind, since nothing was stored yet, or the release before wrote
 * their backups; it is mended, so that they are not found again before their time.
 */
export const withoutThoseBackedUp = async (
  db: Database,
  servers: DueServer[],
): Promise<DueServer[]> => {
  if (servers.length === 0) return [];
  const turns = await db.transaction(async (tx) => {
    const ids = servers.map(({ serverId }) => serverId);
    const free = await lockFreeServers(tx, ids);
    if (free.length === 0) return [];
    const found = await listTurns(tx, free);
    const behind = found.filter(({ isStored }) => !isStored);
    if (behind.length > 0) await storeAllLastScheduled(tx, behind);
    return found;
  });
  const backedUp = new Set(turns.filter(({ isDue }) => !isDue).map(({ serverId }) => serverId));
  return servers.filter(({ serverId }) => !backedUp.has(serverId));
};
