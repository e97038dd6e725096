import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { arbitraryDamage, damageGuild } from '../../../../test/harness/guilds/damage.ts';
import { arbitraryEdits, editGuild } from '../../../../test/harness/guilds/edits.ts';
import { findOpened, readAccess } from '../../../../test/harness/restores/access.ts';
import { countCalls } from '../../../../test/harness/restores/reference-calls.ts';
import { loadBlank, runOnModel } from '../../../../test/harness/restores/run-on-model.ts';
import { type IdMap, recordCreated } from '../plan/id-map.ts';
import { planRestore } from '../plan/plan-restore.ts';
import type { RestorePlan } from '../plan/step.ts';
import { runStep } from '../run/run-step.ts';
import { findDifferences } from './differences.ts';
import { createModelGuild } from './model-guild.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

const size = { channels: 12, roles: 6 };
const runs = { numRuns: 200 };
const repair = { mode: 'REPAIR' as const };

type How = { deleteExtra?: boolean; earlierIds?: IdMap };

const planFor = (backup: TestGuild, target: TestGuild, how: How = {}): RestorePlan =>
  planRestore({
    snapshot: snapshotOf(backup),
    current: structuredClone(target),
    components: everyComponent,
    bot: BOT,
    ...repair,
    ...how,
  });

/** Runs a plan to its end, and hands every state in between to the check. */
const run = async (plan: RestorePlan, target: TestGuild, check = (_: TestGuild) => {}) => {
  const guild = createModelGuild(structuredClone(target));
  let idMap = plan.idMap;
  for (const { action } of plan.steps) {
    const { createdId } = await runStep(guild, action, idMap, loadBlank);
    idMap = recordCreated(idMap, action, createdId);
    check(guild.state);
  }
  return { state: guild.state, idMap };
};

const differencesOf = (backup: TestGuild, state: TestGuild, idMap: IdMap, how: How = {}) =>
  findDifferences(snapshotOf(backup), state, idMap, everyComponent, { ...repair, ...how });

/** Everyone stays no administrator where that would open a channel that the backup does not know. */
const isExcused = ({ losses }: RestorePlan): boolean => {
  expect(losses.filter(({ code }) => code !== 'wouldOpenPrivateChannels')).toEqual([]);
  return losses.length > 0;
};

describe('a repair of a server that people changed', () => {
  test('brings back what the backup knows, keeps the rest, and makes the least number of calls', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGuild(size), arbitraryEdits, async (backup, edits) => {
        const target = editGuild(backup, edits);
        const plan = planFor(backup, target);
        expect(plan.blockers).toEqual([]);
        const { state, idMap } = await run(plan, target);
        expectUntouched(backup, target, state, plan);
        const calls = countCalls(backup, target);
        expect({ ...calls, all: plan.steps.length }).toEqual({
          ...calls,
          all: Object.values(calls).reduce((all, some) => all + some, 0),
        });
        if (isExcused(plan)) return;
        expect(differencesOf(backup, state, idMap)).toEqual([]);
        expect(planFor(backup, state, { earlierIds: idMap }).steps).toEqual([]);
      }),
      runs,
    );
  });

  test('opens nothing to anybody that was and will be closed to them, at no step', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryGuild(size),
        arbitraryEdits,
        fc.boolean(),
        async (backup, edits, deleteExtra) => {
          const target = editGuild(backup, edits);
          const plan = planFor(backup, target, { deleteExtra });
          const before = readAccess(target);
          const after = readAccess((await run(plan, target)).state);
          const opened: string[] = [];
          await run(plan, target, (now) =>
            opened.push(...findOpened(before, readAccess(now), after)),
          );
          expect(opened).toEqual([]);
        },
      ),
      runs,
    );
  });

  test('leaves nothing over where extras are to be deleted', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGuild(size), arbitraryEdits, async (backup, edits) => {
        const target = editGuild(backup, edits);
        const plan = planFor(backup, target, { deleteExtra: true });
        const { state, idMap } = await run(plan, target);
        expect(state.bans.map(({ userId }) => userId)).toEqual(
          expect.arrayContaining(target.bans.map(({ userId }) => userId)),
        );
        const isLastKept = plan.losses.some(({ code }) => code === 'lastChannelKept');
        if (isLastKept || isExcused(plan)) return;
        expect(differencesOf(backup, state, idMap, { deleteExtra: true })).toEqual([]);
      }),
      runs,
    );
  });
});

/** What the backup does not know is as it was; a hidden channel may have a rule of its own now. */
const expectUntouched = (
  backup: TestGuild,
  target: TestGuild,
  state: TestGuild,
  { steps, idMap }: RestorePlan,
) => {
  const known = new Set([...Object.values(idMap.channels), ...Object.values(idMap.emojis)]);
  const shielded = new Set(
    steps.flatMap(({ action }) =>
      action.do === 'setOverwrites' && 'present' in action.channel ? [action.channel.present] : [],
    ),
  );
  const isExtra = ({ id }: { id: string }) => !known.has(id) && !shielded.has(id);
  const now = new Map(state.channels.map((channel) => [channel.id, channel]));
  for (const channel of target.channels.filter(isExtra)) {
    expect(now.get(channel.id)).toEqual(channel);
  }
  for (const role of target.roles.filter(({ id }) => !backup.roles.some((one) => one.id === id))) {
    const { position: _, ...rest } = state.roles.find(({ id }) => id === role.id) ?? role;
    expect({ ...rest, position: role.position }).toEqual(role);
  }
  expect(state.emojis.filter(isExtra)).toEqual(
    expect.arrayContaining(target.emojis.filter(isExtra)),
  );
  expect(state.bans).toEqual(expect.arrayContaining(target.bans));
};

test('a wrecked server is repaired, and never open, empty or over a limit', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(size), arbitraryDamage, async (backup, blows) => {
      const target = damageGuild(backup, blows);
      const plan = planFor(backup, target);
      const watch = { areChannelsRepaired: true };
      const { state, idMap } = await runOnModel(plan, backup, target, undefined, watch);
      if (isExcused(plan)) return;
      expect(differencesOf(backup, state, idMap)).toEqual([]);
    }),
    runs,
  );
});

test('a repair after a restore gave everything new ids makes no call', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(size),
      arbitraryGuild(size, '800000000000000000'),
      async (backup, target) => {
        const snapshot = snapshotOf(backup);
        const input = { snapshot, components: everyComponent, bot: BOT };
        const replace = planRestore({ ...input, current: structuredClone(target) });
        const { state, idMap } = await runOnModel(replace, backup, target);
        if (replace.losses.length > 0) return;
        const again = planFor(backup, state, { earlierIds: idMap });
        expect(again.steps.map(({ action }) => action)).toEqual([]);
      },
    ),
    runs,
  );
});
