import type { Draft } from './step.ts';

/**
 * Things are made before things are deleted, but the platform takes only so many at once. As many as
 * there is room for are made; from then on each new one waits until one old one has gone.
 */
export const fitUnderLimit = (
  creates: Draft[],
  spare: Draft[],
  room: number,
): { steps: Draft[]; left: Draft[]; overflow: Draft[] } => {
  const firstCreates = Math.max(room, 0);
  // Already over the limit: the first new one waits for more than one old one.
  const debt = Math.max(-room, 0);
  const steps: Draft[] = [];
  const overflow: Draft[] = [];
  let used = 0;
  let last: Draft | undefined;
  for (const [index, create] of creates.entries()) {
    const wantedDeletes = index < firstCreates ? 0 : index - firstCreates + 1 + debt;
    if (wantedDeletes > spare.length) {
      overflow.push(create);
      continue;
    }
    for (; used < wantedDeletes; used += 1) {
      const early = earlyDelete(spare[used], create, last);
      if (early) steps.push(early);
      last = early ?? last;
    }
    const waits = wantedDeletes > 0 && last ? [last.key] : [];
    const placed = { ...create, after: [...create.after, ...waits] };
    steps.push(placed);
    last = placed;
  }
  return { steps, left: spare.slice(used), overflow };
};

const earlyDelete = (
  spare: Draft | undefined,
  create: Draft,
  last: Draft | undefined,
): Draft | undefined =>
  spare && { ...spare, stage: create.stage, after: [...spare.after, ...(last ? [last.key] : [])] };
