import type { Database } from '../../db/connect.ts';
import { findHead, readChainAfter } from './queries.ts';
import { type ChainFault, chainStart, faultAfter } from './rules.ts';

const entriesAtATime = 1000;

export type ChainReport = { entries: number; intact: boolean; fault?: ChainFault };

/** Walks an account's whole chain, as it stands at one moment, and compares its end with the head. */
export const verifyChain = (db: Database, userId: string): Promise<ChainReport> =>
  db.transaction(
    async (tx) => {
      const head = await findHead(tx, userId);
      let last = { seq: 0, hash: chainStart };
      for (;;) {
        const entries = await readChainAfter(tx, userId, last.seq, entriesAtATime);
        if (entries.length === 0) return reportOf(last, head);
        for (const entry of entries) {
          const fault = faultAfter(last, entry);
          if (fault) return { entries: last.seq, intact: false, fault };
          last = entry;
        }
      }
    },
    { isolationLevel: 'repeatable read' },
  );

type End = { seq: number; hash: string };

/** The entries agree with each other; the head tells whether they are all, and the right ones. */
const reportOf = (last: End, head: End): ChainReport => {
  if (last.seq === head.seq && last.hash === head.hash) return { entries: last.seq, intact: true };
  const reason = last.seq < head.seq ? 'entry missing' : 'not what the chain ends with';
  const seq = last.seq === head.seq ? head.seq : Math.min(last.seq, head.seq) + 1;
  return { entries: last.seq, intact: false, fault: { seq, reason } };
};
