import type { PullWork } from '../pull-work.ts';
import { freezeSome } from './queries.ts';

/** A fraction of a second of work at a time, also where a machine is slow. */
const membersAtATime = 5000;

/** Settles whom the pull calls, from where an earlier worker stopped. */
export const freezeMembers = async (work: PullWork): Promise<void> => {
  const { tools, owner, target, lease, watch } = work;
  for (let isOpen = true; isOpen; ) {
    watch.demandWanted();
    isOpen = await tools.db.transaction(async (tx) => {
      await lease.requireHeld(tx);
      return freezeSome(tx, { owner, botId: target.botId, most: membersAtATime });
    });
  }
};
