import type { Database } from '../../db/connect.ts';
import { eraseEntries, findHead } from './queries.ts';

const entriesAtATime = 1000;

/**
 * Takes what the entries of a deleted account say, and about what. Their hashes stay: that something
 * happened, what kind of act it was, when, and in which order, can still be shown.
 */
export const eraseAuditContents = async (
  db: Database,
  accountId: string,
  signal: AbortSignal,
): Promise<void> => {
  const { seq: last } = await findHead(db, accountId);
  for (let after = 0; after < last; after += entriesAtATime) {
    signal.throwIfAborted();
    await eraseEntries(db, accountId, { after, upTo: after + entriesAtATime });
  }
};
