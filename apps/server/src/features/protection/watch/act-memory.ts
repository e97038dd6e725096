import { type SeenAct, watchedForMs } from './judge.ts';

/** However many acts come, so many of a guild are remembered. */
const mostActs = 3000;

/** The watched acts of one guild within the last hour, each once. */
export const createActMemory = () => {
  let acts: SeenAct[] = [];
  /** In the order in which they came. Acts that are judged already are not judged again. */
  const entryIds = new Set<string>();
  const note = (entryId: string): void => {
    entryIds.add(entryId);
    const [oldestId] = entryIds;
    if (entryIds.size > mostActs && oldestId !== undefined) entryIds.delete(oldestId);
  };
  return {
    /** Acts that belong to an incident: they are not judged when a resume repeats them. */
    know(known: readonly string[]): void {
      for (const entryId of known) note(entryId);
    },
    /** False where it was heard before: a resume repeats some. */
    add(entryId: string, act: SeenAct): boolean {
      if (entryIds.has(entryId)) return false;
      note(entryId);
      const isOld = acts[0] && act.atMs - acts[0].atMs > watchedForMs;
      if (isOld) acts = acts.filter((one) => act.atMs - one.atMs <= watchedForMs);
      if (acts.length >= mostActs) acts.shift();
      acts.push(act);
      return true;
    },
    all: (): readonly SeenAct[] => acts,
    /** What turned out to be no attack. */
    forget(isHarmless: (act: SeenAct) => boolean): void {
      acts = acts.filter((act) => !isHarmless(act));
    },
    /** What they did belongs to an incident now. */
    release(executorId: string): void {
      acts = acts.filter((act) => act.executorId !== executorId);
    },
  };
};
