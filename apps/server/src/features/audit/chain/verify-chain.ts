import type { Database, Queryable } from '../../../db/connect.ts';
import { type ChainFault, chainStart, findFault, matchesHash } from '../rules.ts';
import { findHead, findLink, readChainAfter } from './queries.ts';

const entriesAtATime = 1000;

type ChainReport = {
  entries: number;
  intact: boolean;
  /** Of a deleted account: entries of which only the hashes are left. */
  contentsRemoved?: number;
  fault?: ChainFault;
  /** The chain is longer than the part that was verified. */
  hasMore?: true;
};

/** The part of a chain to verify: all of it by default. */
type ChainPart = {
  after?: number;
  most?: number;
  /** The account is deleted, so its entries may have no contents. */
  isOfDeleted?: boolean;
};

/**
 * Walks an account's chain as it is at one moment, and compares its end with the head. A part is
 * verified from the hash of the entry before it, which the part before has verified.
 */
export const verifyChain = (
  db: Database,
  accountId: string,
  { after = 0, most = Number.POSITIVE_INFINITY, isOfDeleted = false }: ChainPart = {},
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
          const fault = findFault(last, entry, { mayBeErased: isOfDeleted });
          if (fault) return broken(last.seq, fault);
          if (isOfDeleted && !matchesHash(entry)) contentsRemoved++;
          last = entry;
        }
        if (last.seq - after >= most && last.seq < head.seq) {
          return { entries: last.seq, intact: true, hasMore: true };
        }
      }
    },
    { isolationLevel: 'repeatable read' },
  );

type End = { seq: number; hash: string };

const findStart = async (
  db: Queryable,
  accountId: string,
  after: number,
): Promise<End | undefined> =>
  after === 0 ? { seq: 0, hash: chainStart } : findLink(db, accountId, after);

const broken = (entries: number, fault: ChainFault): ChainReport => ({
  entries,
  intact: false,
  fault,
});

/** The entries follow each other; the head shows whether they are complete, and the right ones. */
const reportOf = (last: End, head: End): ChainReport => {
  if (last.seq === head.seq && last.hash === head.hash) return { entries: last.seq, intact: true };
  const reason = last.seq < head.seq ? 'entry missing' : 'not what the chain ends with';
  const seq = last.seq === head.seq ? head.seq : Math.min(last.seq, head.seq) + 1;
  return broken(last.seq, { seq, reason });
};
