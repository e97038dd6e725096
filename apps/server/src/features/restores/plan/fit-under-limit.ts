import type { DraftStep } from './step.ts';

/**
 * Things are created before things are deleted, but the platform takes only so many at once. As many
 * as there is room for are created; from then on each new one waits until one old one is deleted.
 */
export const fitUnderLimit = (
  creates: DraftStep[],
  deletes: DraftStep[],
  room: number,
): { steps: DraftStep[]; left: DraftStep[]; overflow: DraftStep[] } => {
  const firstCreates = Math.max(room, 0);
  // Already over the limit: the first new one waits for more than one deletion.
  const excess = Math.max(-room, 0);
  const steps: DraftStep[] = [];
  const overflow: DraftStep[] = [];
  let used = 0;
  let last: DraftStep | undefined;
  for (const [index, create] of creates.entries()) {
    const neededDeletes = index < firstCreates ? 0 : index - firstCreates + 1 + excess;
    if (neededDeletes > deletes.length) {
      overflow.push(create);
      continue;
    }
    for (const early of deletes.slice(used, neededDeletes)) {
      last = waitFor({ ...early, stage: create.stage }, last);
      steps.push(last);
    }
    used = Math.max(used, neededDeletes);
    last = waitFor(create, neededDeletes > 0 ? last : undefined);
    steps.push(last);
  }
  return { steps, left: deletes.slice(used), overflow };
};

const waitFor = (step: DraftStep, earlier: DraftStep | undefined): DraftStep => ({
  ...step,
  after: [...step.after, ...(earlier ? [earlier.key] : [])],
});
