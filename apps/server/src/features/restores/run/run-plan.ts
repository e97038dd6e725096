import { addCreated, type IdMap } from '../plan/id-map.ts';
import type { RestorePlan } from '../plan/step.ts';
import { type LoadImage, type RestoreGuild, runStep } from './run-step.ts';

const yieldEveryMs = 8;

/**
 * Runs one step after the other, without a journal and without pictures: for guilds that nobody lives in.
 * A step that fails shows in the differences.
 */
export const runPlan = async (
  guild: RestoreGuild,
  plan: Pick<RestorePlan, 'steps' | 'idMap'>,
): Promise<IdMap> => {
  const idMap = structuredClone(plan.idMap);
  let yieldedAt = performance.now();
  for (const { action } of plan.steps) {
    // A large guild takes long: the process serves others in between.
    if (performance.now() - yieldedAt >= yieldEveryMs) {
      await Bun.sleep(0);
      yieldedAt = performance.now();
    }
    const done = await runStep(guild, action, idMap, loadNothing).catch(() => ({}));
    addCreated(idMap, action, 'createdId' in done ? done.createdId : undefined);
  }
  return idMap;
};

const loadNothing: LoadImage = async ({ contentType }) => ({
  contentType,
  bytes: new Uint8Array(),
});
