import type { Action } from './action.ts';
import { describeLoss, toStoredLoss } from './loss.ts';
import { describeNote, type Note } from './note.ts';
import type { PlannedUpdate, RestorePlan, Step } from './step.ts';

/**
 * What the estimate assumes of the platform, which does not publish its limits: so many calls per
 * window in each bucket, and so many a second in all. A running restore follows the platform's headers.
 */
const ASSUMED_LIMITS = { callsPerBucket: 5, windowSeconds: 5, callsPerSecond: 50 };

type PlannedThing = Pick<Step, 'type' | 'name'>;

export type RestorePreview = {
  create: PlannedThing[];
  update: PlannedUpdate[];
  delete: PlannedThing[];
  keep: number;
  calls: number;
  estimatedSeconds: number;
  warnings: string[];
  notes: string[];
};

/** The plan as its owner reads it: each thing is named once, however many steps it has. */
export const describePlan = (plan: RestorePlan): RestorePreview => {
  const { steps, losses, warnings, blockers } = plan;
  const { update, notes: notesOfUpdates } = limitOverwrites(plan.updates);
  // Before it is done it is a warning; afterwards it is only to be noted.
  const isDestructive = ({ code }: Note) => code === 'deletedWithChannels';
  const thingsWith = (wanted: Step['effect']): PlannedThing[] =>
    steps.filter(({ effect }) => effect === wanted).map(({ type, name }) => ({ type, name }));
  return {
    create: thingsWith('create'),
    update,
    delete: thingsWith('delete'),
    keep: plan.keep,
    calls: steps.length,
    estimatedSeconds: estimateSeconds(steps),
    warnings: [
      ...blockers,
      ...plan.notes.filter(isDestructive).map((note) => describeNote(note)),
      ...warnings,
      ...losses.map((loss) => `${describeLoss(toStoredLoss(loss))}.`),
    ],
    notes: [
      ...plan.notes.filter((note) => !isDestructive(note)).map((note) => describeNote(note)),
      ...notesOfUpdates,
    ],
  };
};

/** The same where nothing will be done: without what only concerns the doing. */
export const describeComparison = (plan: RestorePlan): RestorePreview =>
  describePlan({ ...plan, blockers: [], warnings: [], notes: [] });

/** Before and after together. A guild can change a hundred thousand: an answer must stay one that can be read. */
const mostOverwrites = 5000;

/** Where that many are listed, the other channels have only their number. */
const limitOverwrites = (updates: PlannedUpdate[]) => {
  let listed = 0;
  let shortened = 0;
  const update = updates.map(({ changes, ...thing }) => ({
    ...thing,
    changes: changes.map((change) => {
      const { from, to } = change;
      if (change.field !== 'permission_overwrites') return change;
      if (!Array.isArray(from) || !Array.isArray(to)) return change;
      listed += from.length + to.length;
      if (listed <= mostOverwrites) return change;
      shortened += 1;
      return { ...change, from: `${from.length} overwrites`, to: `${to.length} overwrites` };
    }),
  }));
  const note = `Of ${shortened} channels only the number of overwrites is listed, because there are so many.`;
  return { update, notes: shortened === 0 ? [] : [note] };
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
  if (action.do !== 'setOverwrites' && action.do !== 'editChannel') return action.do;
  return `channel ${JSON.stringify(action.channel)}`;
};
