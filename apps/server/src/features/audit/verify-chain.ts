import type { Database, Queryable } from '../../db/connect.ts';
import { findHead, findLink, readChainAfter } from './queries.ts';
import { type ChainFault, chainStart, faultAfter, saysWhatWasHashed } from './rules.ts';

const entriesAtATime = 1000;

export type ChainReport = {
  entries: number;
  intact: boolean;
  /** Of a deleted account: entries of which only the hashes are left. */
  contentsRemoved?: number;
  fault?: ChainFault;
  /** There is more to look at than was asked for. */
  goesOn?: true;
};

/** Which part of a chain to look at: all of it unless said. */
type Part = {
  after?: number;
  most?: number;
  /** The account is deleted, and with it what the entries said. */
  isOfDeleted?: boolean;
};

/**
 * Walks an account's chain, as it stands at one moment, and compares its end with the head. A part
 * follows upon the entry it comes after, which was looked at with the part before.
 */
export const verifyChain = (
  db: Database,
  accountId: string,
  { after = 0, most = Number.POSITIVE_INFINITY, isOfDeleted = false }: Part = {},
): Promise<ChainReport> =>
  db.transaction(
    async (tx) => {
      const head = await findHead(tx, accountId);
      let last = await findStart(tx, accountId, after);
      let contentsRemoved = 0;
      if (!last) return broken(after, { seq: after, reason: 'entry missing' });
      for (;;) {
        const entries = await readChainAfter(tx, accountId, last.seq, entriesAtATime);
        if (entries.length === 0) {
          return { ...reportOf(last, head), ...(isOfDeleted && { contentsRemoved }) };
        }
        for (const entry of entries) {
          const fault = faultAfter(last, entry, { mayBeErased: isOfDeleted });
          if (fault) return broken(last.seq, fault);
          if (isOfDeleted && !saysWhatWasHashed(entry)) contentsRemoved++;
          last = entry;
        }
        if (last.seq - after >= most && last.seq < head.seq) {
          return { entries: last.seq, intact: true, goesOn: true };
        }
      }
    },
    { isolationLevel: 'repeatable read' },
  );

type End = { seq: number; hash: string };

const findStart = async (db: Queryable, accountId: string, after: number): Promise<End | undefined> =>
  after === 0 ? { seq: 0, hash: chainStart } : findLink(db, accountId, after);

const broken = (entries: number, fault: ChainFault): ChainReport => ({
  entries,
  intact: false,
  fault,
});

/** The entries agree with each other; the head tells whether they are all, and the right ones. */
const reportOf = (last: End, head: End): ChainReport => {
  if (last.seq === head.seq && last.hash === head.hash) return { entries: last.seq, intact: true };
  const reason = last.seq < head.seq ? 'entry missing' : 'not what the chain ends with';
  const seq = last.seq === head.seq ? head.seq : Math.min(last.seq, head.seq) + 1;
  return broken(last.seq, { seq, reason });
};
