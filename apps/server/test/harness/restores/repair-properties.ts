import { expect } from 'bun:test';
import fc from 'fast-check';
import { type IdMap, recordCreated } from '../../../src/features/restores/plan/id-map.ts';
import type { Loss } from '../../../src/features/restores/plan/loss.ts';
import type { PlanInput } from '../../../src/features/restores/plan/plan-context.ts';
import { planRestore } from '../../../src/features/restores/plan/plan-restore.ts';
import type { RestorePlan } from '../../../src/features/restores/plan/step.ts';
import { runStep } from '../../../src/features/restores/run/run-step.ts';
import type { Difference } from '../../../src/features/restores/verify/describe-difference.ts';
import { findDifferences } from '../../../src/features/restores/verify/differences.ts';
import { createModelGuild } from '../../../src/features/restores/verify/model-guild.ts';
import {
  arbitraryGuild,
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../guilds/arbitrary-guild.ts';
import { arbitraryDamage, damageGuild } from '../guilds/damage.ts';
import { arbitraryEdits, editGuild } from '../guilds/edits.ts';
import { demoteBot, lesserBot } from '../guilds/lesser-bot.ts';
import { findOpened, readAccess } from './access.ts';
import { createPermittedGuild } from './permitted-guild.ts';
import { countCalls } from './reference-calls.ts';
import { loadBlank, runOnModel } from './run-on-model.ts';

type Options = { numRuns: number; size: { channels: number; roles: number } };
/** By the sentence that it shows to be true. */
export const repairProperties = new Map<string, (options: Options) => Promise<void>>();
const property = (name: string, check: (options: Options) => Promise<void>) =>
  repairProperties.set(name, check);

const repair = { mode: 'REPAIR' as const };

type How = Partial<Pick<PlanInput, 'deleteExtra' | 'earlierIds' | 'components'>>;

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
const run = async (
  plan: RestorePlan,
  target: TestGuild,
  check = (_: TestGuild) => {},
  createGuild = createModelGuild,
) => {
  const guild = createGuild(structuredClone(target));
  let idMap = plan.idMap;
  for (const { action } of plan.steps) {
    const { createdId } = await runStep(guild, action, idMap, loadBlank);
    idMap = recordCreated(idMap, action, createdId);
    check(guild.state);
  }
  return { state: guild.state, idMap };
};

const differencesOf = (backup: TestGuild, state: TestGuild, idMap: IdMap, how: How = {}) => {
  const { components = everyComponent } = how;
  return findDifferences(snapshotOf(backup), state, idMap, components, { ...repair, ...how });
};

/** What somebody saw or could do at a step that they could not before and cannot afterwards. */
const openedBy = async (plan: RestorePlan, target: TestGuild): Promise<string[]> => {
  const before = readAccess(target);
  const after = readAccess((await run(plan, target)).state);
  const opened: string[] = [];
  await run(plan, target, (now) => opened.push(...findOpened(before, readAccess(now), after)));
  return opened;
};

/** What a plan does because channels may follow their category. */
const followingIn = ({ steps }: RestorePlan) => {
  const actions = steps.map(({ action }) => action);
  const ofCategories = actions.flatMap((action) =>
    action.do === 'editChannel' && action.apart && 'backup' in action.channel
      ? [action.channel.backup]
      : [],
  );
  const isTwice = (id: string, index: number) => ofCategories.indexOf(id) !== index;
  return {
    closesFirst: new Set(ofCategories.filter(isTwice)),
    kept: actions.filter((action) => action.do === 'setOverwrites' && action.purpose === 'keep')
      .length,
  };
};

/**
 * Everyone stays no administrator where that would open a channel that the backup does not know, and
 * channels stand outside of a category that such channels fill.
 */
const isExcused = (plan: RestorePlan, backup: TestGuild, target: TestGuild): boolean => {
  const told = plan.losses.filter(({ code }) => code !== 'wouldOpenPrivateChannels');
  expect(told.filter(({ code }) => code !== 'categoryFull')).toEqual([]);
  expect(told.length > 0).toBe(isRoomMissing(plan, backup, target));
  return plan.losses.length > 0;
};

const MAX_CHILDREN = 50;

const isRoomMissing = ({ idMap }: RestorePlan, backup: TestGuild, target: TestGuild): boolean => {
  const known = new Set(Object.values(idMap.channels));
  return backup.channels.some(({ id, kind }) => {
    const children = backup.channels.filter(({ parentId }) => parentId === id);
    const guests = target.channels.filter(
      (one) => one.parentId === idMap.channels[id] && !known.has(one.id),
    );
    return kind === 'category' && children.length + guests.length > MAX_CHILDREN;
  });
};

property(
  'a repair brings back what the backup knows, keeps the rest, and makes the least number of calls',
  async ({ numRuns, size }) => {
    await fc.assert(
      fc.asyncProperty(arbitraryGuild(size), arbitraryEdits, async (backup, edits) => {
        const target = editGuild(backup, edits);
        const plan = planFor(backup, target);
        expect(plan.blockers).toEqual([]);
        const { state, idMap } = await run(plan, target);
        expectUntouched(backup, target, state, plan);
        const calls = countCalls(backup, target, followingIn(plan));
        expect({ ...calls, all: plan.steps.length }).toEqual({
          ...calls,
          all: Object.values(calls).reduce((all, some) => all + some, 0),
        });
        if (isExcused(plan, backup, target)) return;
        expect(differencesOf(backup, state, idMap)).toEqual([]);
        expect(planFor(backup, state, { earlierIds: idMap }).steps).toEqual([]);
      }),
      { numRuns },
    );
  },
);

property(
  'a repair opens nothing to anybody that was and will be closed to them, at no step',
  async ({ numRuns, size }) => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryGuild(size),
        arbitraryEdits,
        fc.boolean(),
        async (backup, edits, deleteExtra) => {
          const target = editGuild(backup, edits);
          const plan = planFor(backup, target, { deleteExtra });
          expect(await openedBy(plan, target)).toEqual([]);
        },
      ),
      { numRuns },
    );
  },
);

property(
  'a repair leaves nothing over where extras are to be deleted',
  async ({ numRuns, size }) => {
    await fc.assert(
      fc.asyncProperty(arbitraryGuild(size), arbitraryEdits, async (backup, edits) => {
        const target = editGuild(backup, edits);
        const plan = planFor(backup, target, { deleteExtra: true });
        const { state, idMap } = await run(plan, target);
        expect(state.bans.map(({ userId }) => userId)).toEqual(
          expect.arrayContaining(target.bans.map(({ userId }) => userId)),
        );
        const isLastKept = plan.losses.some(({ code }) => code === 'lastChannelKept');
        if (isLastKept || isExcused(plan, backup, target)) return;
        expect(differencesOf(backup, state, idMap, { deleteExtra: true })).toEqual([]);
      }),
      { numRuns },
    );
  },
);

property(
  'a repair of some parts gets these right, opens nothing and is done after one run',
  async ({ numRuns, size }) => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryGuild(size),
        arbitraryEdits,
        fc.subarray(everyComponent, { minLength: 1 }),
        async (backup, edits, components) => {
          const target = editGuild(backup, edits);
          const plan = planFor(backup, target, { components });
          if (plan.blockers.length > 0) return;
          expect(await openedBy(plan, target)).toEqual([]);
          const { state, idMap } = await run(plan, target);
          expect(planFor(backup, state, { components, earlierIds: idMap }).steps).toEqual([]);
          if (plan.losses.length > 0) return;
          expect(differencesOf(backup, state, idMap, { components })).toEqual([]);
        },
      ),
      { numRuns },
    );
  },
);

property(
  'a bot with few permissions repairs what it may, tells the rest, opens nothing, and is done after one run',
  async ({ numRuns, size }) => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryGuild(size),
        arbitraryEdits,
        lesserBot,
        async (backup, edits, bot) => {
          const target = demoteBot(editGuild(backup, edits), bot);
          const plan = planFor(backup, target);
          if (plan.blockers.length > 0) return;
          expect(await openedBy(plan, target)).toEqual([]);
          const { state, idMap } = await run(plan, target, undefined, createPermittedGuild);
          expect(findUntold(differencesOf(backup, state, idMap), plan)).toEqual([]);
          expect(planFor(backup, state, { earlierIds: idMap }).steps).toEqual([]);
        },
      ),
      { numRuns },
    );
  },
);

/** Differences that no loss is about. One of two things in the wrong order, or a member's id, is enough. */
const findUntold = (differences: Difference[], { losses }: RestorePlan): Difference[] =>
  differences.filter((difference) => {
    const names = [difference.name, 'detail' in difference ? difference.detail : undefined];
    const isTold = ({ type, name }: Loss) =>
      type === difference.type &&
      (names.includes(name) || (type === 'member' && name.endsWith(`(${difference.name})`)));
    return !losses.some(isTold);
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

property(
  'a wrecked server is repaired, and never open, empty or over a limit',
  async ({ numRuns, size }) => {
    await fc.assert(
      fc.asyncProperty(arbitraryGuild(size), arbitraryDamage, async (backup, blows) => {
        const target = damageGuild(backup, blows);
        const plan = planFor(backup, target);
        const watch = { areChannelsRepaired: true };
        const { state, idMap } = await runOnModel(plan, backup, target, undefined, watch);
        if (isExcused(plan, backup, target)) return;
        expect(differencesOf(backup, state, idMap)).toEqual([]);
      }),
      { numRuns },
    );
  },
);

property(
  'a repair after a restore gave everything new ids makes no call',
  async ({ numRuns, size }) => {
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
      { numRuns },
    );
  },
);
