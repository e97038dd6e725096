import type { PullRun } from '../run/pull-run.ts';
import { selectChunk } from './queries.ts';

/** A fraction of a second of work per transaction, also on a slow machine. */
const membersPerChunk = 5000;

/** Decides whom the pull adds, going on where an earlier worker stopped. */
export const selectMembers = async (run: PullRun): Promise<void> => {
  const { dependencies, owner, target, lease, watch } = run;
  for (let hasMore = true; hasMore; ) {
    watch.throwIfStopped();
    hasMore = await lease.transaction(dependencies.db, (tx) =>
      selectChunk(tx, { owner, botId: target.botId, limit: membersPerChunk }),
    );
  }
};
