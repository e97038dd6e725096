import type { Action } from './action.ts';
import { describeLoss, toStoredLoss } from './loss.ts';
import type { RestorePlan, Step } from './step.ts';

/**
 * What the estimate assumes of the platform, which does not publish its limits: so many calls per
 * window in each bucket, and so many a second in all. A running restore follows the platform's headers.
 */
const ASSUMED_LIMITS = { callsPerBucket: 5, windowSeconds: 5, callsPerSecond: 50 };

type PlannedChange = { type: string; name: string };

export type RestorePreview = {
  create: PlannedChange[];
  update: PlannedChange[];
  delete: PlannedChange[];
  calls: number;
  estimatedSeconds: number;
  warnings: string[];
};

/** The plan as its owner reads it: each thing is named once, however many steps it has. */
export const describePlan = ({
  steps,
  losses,
  warnings,
  blockers,
}: RestorePlan): RestorePreview => {
  const withEffect = (wanted: Step['effect']) => steps.filter(({ effect }) => effect === wanted);
  const [created, deleted] = [withEffect('create'), withEffect('delete')];
  const replaced = new Set([...created, ...deleted].map(subjectOf));
  const updated = new Map(
    withEffect('update')
      .map((step) => [subjectOf(step), step] as const)
      .filter(([subject]) => !replaced.has(subject)),
  );
  const change = ({ type, name }: Step): PlannedChange => ({ type, name });
  return {
    create: created.map(change),
    update: [...updated.values()].map(change),
    delete: deleted.map(change),
    calls: steps.length,
    estimatedSeconds: estimateSeconds(steps),
    warnings: [
      ...blockers,
      ...warnings,
      ...losses.map((loss) => `${describeLoss(toStoredLoss(loss))}.`),
    ],
  };
};

const subjectOf = ({ action, type, name }: Step): string => {
  if ('oldId' in action) return `${type} of the backup ${action.oldId}`;
  if (action.do === 'deleteRole') return `role ${action.roleId}`;
  if (action.do === 'deleteChannel') return `channel ${action.channelId}`;
  const ref =
    action.do === 'editRole' ? action.role : action.do === 'setOverwrites' ? action.channel : null;
  if (!ref) return `${type} ${name} ${'userId' in action ? action.userId : ''}`;
  return 'backup' in ref ? `${type} of the backup ${ref.backup}` : `${type} ${ref.present}`;
};

/** Stages run one after the other; within one, the fullest bucket decides. */
const estimateSeconds = (steps: Step[]): number => {
  const { callsPerBucket, windowSeconds, callsPerSecond } = ASSUMED_LIMITS;
  const stages = Map.groupBy(steps, ({ stage }) => stage);
  let seconds = 0;
  for (const some of stages.values()) {
    const buckets = Map.groupBy(some, ({ action }) => bucketOf(action));
    const fullest = Math.max(...[...buckets.values()].map(({ length }) => length));
    const windows = Math.ceil(fullest / callsPerBucket) - 1;
    seconds += Math.max(windows * windowSeconds, some.length / callsPerSecond);
  }
  return Math.ceil(seconds);
};

/** Each channel has its own bucket; the other routes have one for the whole guild. */
const bucketOf = (action: Action): string => {
  if (action.do === 'deleteChannel') return `channel ${action.channelId}`;
  if (action.do !== 'setOverwrites') return action.do;
  return `channel ${JSON.stringify(action.channel)}`;
};
