import { expect } from 'bun:test';
import fc from 'fast-check';
import { type IdMap, recordCreated } from '../../../src/features/restores/plan/id-map.ts';
import type { PlanInput } from '../../../src/features/restores/plan/plan-context.ts';
import { planRestore } from '../../../src/features/restores/plan/plan-restore.ts';
import type { RestorePlan, Step } from '../../../src/features/restores/plan/step.ts';
import { runStep } from '../../../src/features/restores/run/run-step.ts';
import { findDifferences } from '../../../src/features/restores/verify/differences.ts';
import { createModelGuild } from '../../../src/features/restores/verify/model-guild.ts';
import { BOT, everyComponent, snapshotOf, type TestGuild } from '../guilds/arbitrary-guild.ts';
import { changeChannels, changesOfChannels, guildWithCategories } from '../guilds/categories.ts';
import { findOpened, readAccess } from './access.ts';
import { loadBlank } from './run-on-model.ts';

/** How a restore is asked for and what happens to it. */
const ways = fc.record({
  how: fc.constantFrom(
    { mode: 'REPLACE' as const },
    { mode: 'REPAIR' as const },
    { mode: 'REPAIR' as const, deleteExtra: true },
  ),
  syncs: fc.boolean(),
  components: fc.constantFrom(everyComponent, everyComponent, ['channels' as const]),
  /** Of the steps that could be next, which one is. */
  rolls: fc.infiniteStream(fc.nat(1000)),
  /** The worker is killed after this call, before it is known to be done. */
  killedAt: fc.nat(30),
});
type Way = typeof ways extends fc.Arbitrary<infer One> ? One : never;

/**
 * Whatever channels and categories a server has, and whether or not channels follow their category: no
 * call of a restore opens a channel to somebody who may see it neither before nor after, and it ends as
 * the backup says.
 */
export const checkFollowing = (options: { numRuns: number }) =>
  fc.assert(
    fc.asyncProperty(
      guildWithCategories,
      changesOfChannels,
      ways,
      async (backup, changes, { how, components, syncs, rolls, killedAt }) => {
        const target = changeChannels(backup, changes);
        const wanted: Pick<PlanInput, 'mode' | 'deleteExtra' | 'components'> = {
          ...how,
          components: [...components],
        };
        const plan = planRestore({
          ...{ snapshot: snapshotOf(backup), current: structuredClone(target), bot: BOT },
          ...wanted,
        });
        if (plan.blockers.length > 0) return;
        const way = { syncs, rolls, killedAt };
        const before = readAccess(target);
        // Where nothing follows, the end is as it was planned.
        const quiet = await run(plan, target, { ...way, syncs: false, killedAt: -1 });
        const after = readAccess(quiet.state);
        const end = await run(plan, target, way, ({ state, idMap }, step) => {
          const opened = findOpened(before, readAccess(state), byQuietIds(after, quiet, idMap));
          if (opened.length > 0) throw new Error(`${opened} after ${JSON.stringify(step.action)}`);
        });
        if (plan.losses.length > 0) return;
        const ended = findDifferences(snapshotOf(backup), end.state, end.idMap, components, how);
        expect(ended).toEqual([]);
        expectUntouched(target, end, plan);
      },
    ),
    options,
  );

type End = { state: TestGuild; idMap: IdMap };

const run = async (
  plan: RestorePlan,
  target: TestGuild,
  { syncs, rolls, killedAt }: Pick<Way, 'syncs' | 'rolls' | 'killedAt'>,
  check = (_: End, __: Step) => {},
): Promise<End> => {
  const guild = createModelGuild(structuredClone(target), { syncs });
  let { idMap } = plan;
  const open = [...plan.steps];
  const ended = new Set<number>();
  for (let nth = 0; open.length > 0; nth++) {
    const isReady = ({ stage, after }: Step) =>
      stage === open[0]?.stage && after.every((seq) => ended.has(seq));
    const ready = open.filter(isReady);
    const step = ready[(rolls.next().value ?? 0) % ready.length];
    if (!step) throw new Error('Steps wait for each other');
    const isKilled = nth === killedAt && !step.action.do.startsWith('create');
    const { createdId } = await runStep(guild, step.action, idMap, loadBlank);
    idMap = recordCreated(idMap, step.action, createdId);
    check({ state: guild.state, idMap }, step);
    // Who takes over makes the call again.
    if (isKilled) continue;
    open.splice(open.indexOf(step), 1);
    ended.add(step.seq);
  }
  return { state: guild.state, idMap };
};

/** What is made in two runs has two ids. What this one has not made yet is not there. */
const byQuietIds = (
  after: ReturnType<typeof readAccess>,
  quiet: End,
  idMap: IdMap,
): ReturnType<typeof readAccess> => {
  const idsHere = (sort: 'channels' | 'roles') =>
    new Map(
      Object.entries(quiet.idMap[sort]).map(([oldId, id]) => [
        id,
        idMap[sort][oldId] ?? `missing ${oldId}`,
      ]),
    );
  const [here, roles] = [idsHere('channels'), idsHere('roles')];
  const nameHere = (name: string) => {
    const [first, of, id] = name.split(' ');
    return id === undefined ? name : `${first} ${of} ${roles.get(id) ?? id}`;
  };
  return {
    guildId: after.guildId,
    administrators: new Set([...after.administrators].map(nameHere)),
    bits: new Map(
      [...after.bits].map(([id, bits]) => [
        here.get(id) ?? id,
        new Map([...bits].map(([name, some]) => [nameHere(name), some])),
      ]),
    ),
  };
};

/** A channel that the backup does not know and that stays is as it was, or hidden by a rule of its own. */
const expectUntouched = (target: TestGuild, { state, idMap }: End, { steps }: RestorePlan) => {
  const known = new Set(Object.values(idMap.channels));
  const shielded = new Set(
    steps.flatMap(({ action }) =>
      action.do === 'setOverwrites' && action.purpose === 'shield' && 'present' in action.channel
        ? [action.channel.present]
        : [],
    ),
  );
  for (const { id, overwrites } of state.channels) {
    if (known.has(id) || shielded.has(id)) continue;
    const was = target.channels.find((channel) => channel.id === id);
    const lasting = was?.overwrites.filter(
      (one) => one.kind === 'member' || state.roles.some((role) => role.id === one.id),
    );
    expect({ id, overwrites }).toEqual({ id, overwrites: lasting ?? [] });
  }
};
