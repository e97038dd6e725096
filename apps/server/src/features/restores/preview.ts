import type { Action } from './action.ts';
import type { Loss, RestorePlan, Stage, Step } from './step.ts';

/**
 * What an estimate assumes of the platform, which never tells before: so many calls per window in each
 * bucket, and so many a second in all. Running a plan goes by the platform's own headers.
 */
const ASSUMED_LIMITS = { callsPerBucket: 5, windowSeconds: 5, callsPerSecond: 50 };

type Planned = { type: string; name: string; reason?: string };

export type RestorePreview = {
  create: Planned[];
  update: Planned[];
  delete: Planned[];
  calls: number;
  estimatedSeconds: number;
  warnings: string[];
};

/** What a plan means to its owner. */
export const previewPlan = ({ steps, losses, warnings, blockers }: RestorePlan): RestorePreview => {
  const deleted = steps.filter(({ effect }) => effect === 'delete');
  const going = new Set(deleted.map(subjectOf));
  const created = steps.filter(({ effect }) => effect === 'create');
  const coming = new Set(created.map(subjectOf));
  const updated = new Map(
    steps
      .filter(({ effect }) => effect === 'update')
      .map((step) => [subjectOf(step), step] as const)
      .filter(([subject]) => !going.has(subject) && !coming.has(subject)),
  );
  return {
    create: created.map(planned),
    update: [...updated.values()].map(planned),
    delete: deleted.map(planned),
    calls: steps.length,
    estimatedSeconds: estimateSeconds(steps),
    warnings: [...blockers, ...warnings, ...losses.map(describeLoss)],
  };
};

/** One sentence for an owner. */
export const describeLoss = ({ type, name, reason }: Loss): string => `${type} ${name}: ${reason}.`;

const planned = ({ type, name }: Step): Planned => ({ type, name });

/** Which thing a step is about, so that a thing with several steps is named once. */
const subjectOf = ({ action, type, name }: Step): string => {
  if ('oldId' in action) return `${type} of the backup ${action.oldId}`;
  if (action.do === 'deleteRole') return `role ${action.roleId}`;
  if (action.do === 'deleteChannel') return `channel ${action.channelId}`;
  const ref =
    action.do === 'editRole' ? action.role : action.do === 'setOverwrites' ? action.channel : null;
  if (!ref) return `${type} ${name} ${'accountId' in action ? action.accountId : ''}`;
  return 'backup' in ref ? `${type} of the backup ${ref.backup}` : `${type} ${ref.present}`;
};

/** Stages follow each other; within one, the fullest bucket decides. */
const estimateSeconds = (steps: Step[]): number => {
  const { callsPerBucket, windowSeconds, callsPerSecond } = ASSUMED_LIMITS;
  const stages = Map.groupBy(steps, ({ stage }): Stage => stage);
  let seconds = 0;
  for (const some of stages.values()) {
    const buckets = Map.groupBy(some, ({ action }) => bucketOf(action));
    const fullest = Math.max(...[...buckets.values()].map(({ length }) => length));
    const windows = Math.ceil(fullest / callsPerBucket) - 1;
    seconds += Math.max(windows * windowSeconds, some.length / callsPerSecond);
  }
  return Math.ceil(seconds);
};

/** Each channel has its own; the rest are counted for the whole server. */
const bucketOf = (action: Action): string => {
  if (action.do === 'deleteChannel') return `channel ${action.channelId}`;
  if (action.do !== 'setOverwrites') return action.do;
  return `channel ${JSON.stringify(action.channel)}`;
};
