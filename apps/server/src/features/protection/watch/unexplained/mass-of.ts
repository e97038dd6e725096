import type { Thresholds } from '@holdfast/contract';
import { timeOfEntry } from '../../../../platform/audit-log.ts';
import { slowFactor, watchedForMs } from '../judge.ts';

type Deletion = {
  id: string;
  action: 'channelDeleted' | 'roleDeleted';
  at: Date;
  isMissed: boolean;
};
type Threshold = { count: number; perSeconds: number };

const thresholdOf = { channelDeleted: 'channelDeletes', roleDeleted: 'roleDeletes' } as const;
const actions = ['channelDeleted', 'roleDeleted'] as const;

/** Rooms that come and go with the people in them are no loss. */
const isLasting = ({ id, at }: Deletion): boolean => at.getTime() - timeOfEntry(id) > watchedForMs;

/**
 * How many of what within what time are an attack: in a hurry, and slowly. What was missed has the time when it
 * was found to be gone, all of it the same: that is no hurry.
 */
export const attacksBy = ({ count, perSeconds }: Threshold) => [
  { count, perMs: perSeconds * 1000, counts: ({ isMissed }: Deletion) => !isMissed },
  { count: count * slowFactor.structural, perMs: watchedForMs, counts: isLasting },
];

/**
 * Those that are gone in numbers that are an attack by the owner's thresholds: all of a kind, where as many as
 * that were deleted within its time. Of roles as many are left out as members were removed, whose own go with
 * them. They are in the order of their time.
 */
export const massOf = <Loss extends Deletion>(
  losses: readonly Loss[],
  thresholds: Thresholds,
  removedMembers: number,
): Loss[] =>
  actions.flatMap((action) => {
    const own = losses.filter((loss) => loss.action === action);
    const isMass = attacksBy(thresholds[thresholdOf[action]]).some(({ count, perMs, counts }) => {
      const counted = own.filter(counts).slice(action === 'roleDeleted' ? removedMembers : 0);
      return counted.some((loss, index) => {
        const last = counted[index + count - 1];
        return last !== undefined && last.at.getTime() - loss.at.getTime() <= perMs;
      });
    });
    return isMass ? own : [];
  });
