import type { Thresholds } from '@holdfast/contract';
import { slowFactor, watchedForMs } from '../judge.ts';

type Deletion = { action: 'channelDeleted' | 'roleDeleted'; at: Date };
type Threshold = { count: number; perSeconds: number };

const thresholdOf = { channelDeleted: 'channelDeletes', roleDeleted: 'roleDeletes' } as const;
const actions = ['channelDeleted', 'roleDeleted'] as const;

/** How many within what time are an attack: in a hurry, and slowly. */
export const attacksBy = ({ count, perSeconds }: Threshold) => [
  { count, perMs: perSeconds * 1000 },
  { count: count * slowFactor.structural, perMs: watchedForMs },
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
    const counted = action === 'roleDeleted' ? own.slice(removedMembers) : own;
    const isMass = attacksBy(thresholds[thresholdOf[action]]).some(({ count, perMs }) =>
      counted.some((loss, index) => {
        const last = counted[index + count - 1];
        return last !== undefined && last.at.getTime() - loss.at.getTime() <= perMs;
      }),
    );
    return isMass ? own : [];
  });
