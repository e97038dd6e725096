import { type IdMap, recordCreated } from '../../../src/features/restores/plan/id-map.ts';
import type { RestorePlan, Step } from '../../../src/features/restores/plan/step.ts';
import { type LoadImage, runStep } from '../../../src/features/restores/run/run-step.ts';
import { createModelGuild } from '../../../src/features/restores/verify/model-guild.ts';
import type { TestGuild } from '../guilds/arbitrary-guild.ts';
import { watchInvariants } from './invariants.ts';

export const loadBlank: LoadImage = async ({ contentType }) => ({
  contentType,
  bytes: new Uint8Array(),
});

export type PickStep = (ready: Step[]) => Step | undefined;

const inOrder: PickStep = (ready) => ready[0];

/** Runs a plan in an order that its stages allow and checks the invariants after every step. */
export const runOnModel = async (
  plan: RestorePlan,
  backup: TestGuild,
  target: TestGuild,
  pick: PickStep = inOrder,
  options: { areChannelsRepaired?: boolean } = {},
): Promise<{ state: TestGuild; idMap: IdMap }> => {
  const guild = createModelGuild(structuredClone(target));
  const check = watchInvariants(backup, target, plan, guild.state, options);
  let idMap: IdMap = plan.idMap;
  const open = [...plan.steps];
  const ended = new Set<number>();
  while (open.length > 0) {
    const ready = open.filter(
      ({ stage, after }) => stage === open[0]?.stage && after.every((seq) => ended.has(seq)),
    );
    const step = pick(ready);
    if (!step) throw new Error('Steps wait for each other');
    const { createdId } = await runStep(guild, step.action, idMap, loadBlank);
    idMap = recordCreated(idMap, step.action, createdId);
    check(idMap, step);
    open.splice(open.indexOf(step), 1);
    ended.add(step.seq);
  }
  return { state: guild.state, idMap };
};
