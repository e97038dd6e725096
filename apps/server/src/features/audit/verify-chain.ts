import type { Database } from '../../db/connect.ts';
import { findHead, readChainAfter } from './queries.ts';
import { type ChainFault, chainStart, faultAfter } from './rules.ts';

const entriesAtATime = 1000;

export type ChainReport = { entries: number; intact: boolean; fault?: ChainFault };

/** Walks an account's whole chain and compares its end with the head. */
export const verifyChain = async (db: Database, userId: string): Promise<ChainReport> => {
  const head = await findHead(db, userId);
  let last = { seq: 0, hash: chainStart };
  for (;;) {
    const entries = await readChainAfter(db, userId, last.seq, entriesAtATime);
    if (entries.length === 0) break;
    for (const entry of entries) {
      const fault = faultAfter(last, entry);
      if (fault) return { entries: last.seq, intact: false, fault };
      last = entry;
    }
  }
  // Entries added while we walked are beyond the head we read; a cut-off end is before it.
  if (last.seq < head.seq) {
    return {
      entries: last.seq,
      intact: false,
      fault: { seq: last.seq + 1, reason: 'entry missing' },
    };
  }
  return { entries: last.seq, intact: true };
};
