import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { arbitraryDamage, damageGuild } from '../../../../test/harness/guilds/damage.ts';
import {
  loadBlank,
  type PickStep,
  runOnModel,
} from '../../../../test/harness/restores/run-on-model.ts';
import { action as actionSchema } from '../plan/action.ts';
import { type IdMap, recordCreated } from '../plan/id-map.ts';
import type { Loss } from '../plan/loss.ts';
import { planRestore } from '../plan/plan-restore.ts';
import type { RestorePlan } from '../plan/step.ts';
import { findCreated } from '../run/find-created.ts';
import { runStep } from '../run/run-step.ts';
import { findDifferences } from './differences.ts';
import { createModelGuild } from './model-guild.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

const small = { channels: 12, roles: 6 };
const large = { channels: 60, roles: 12 };
const runs = { numRuns: 200 };

const planFor = (backup: TestGuild, target: TestGuild): RestorePlan =>
  planRestore({
    snapshot: snapshotOf(backup),
    current: structuredClone(target),
    components: everyComponent,
    bot: BOT,
  });

const restore = async (backup: TestGuild, target: TestGuild, pick?: PickStep) => {
  const plan = planFor(backup, target);
  expect(plan.blockers).toEqual([]);
  const { state, idMap } = await runOnModel(plan, backup, target, pick);
  const differences = findDifferences(snapshotOf(backup), state, idMap, everyComponent);
  return { plan, state, differences };
};

/** What no restore brings back, and what it refuses to. */
const excuses: Loss['code'][] = ['lastChannelKept', 'wouldOpenPrivateChannels', 'guildFull'];

const isExcused = ({ losses, notes }: RestorePlan): boolean => {
  const others = losses.filter(({ code, type }) => {
    const isOtherLimit = code === 'guildFull' && type !== 'role';
    return isOtherLimit || !excuses.includes(code);
  });
  expect(others).toEqual([]);
  return losses.length > 0 || notes.some(({ code }) => code === 'managedRoleMissing');
};

const expectRestored = ({ plan, differences }: Awaited<ReturnType<typeof restore>>) => {
  if (isExcused(plan)) return;
  expect(differences).toEqual([]);
};

test('a wrecked server becomes what it was, and is never open, empty or over a limit', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(small), arbitraryDamage, async (backup, blows) => {
      expectRestored(await restore(backup, damageGuild(backup, blows)));
    }),
    runs,
  );
});

test('the same holds for larger servers', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(large), arbitraryDamage, async (backup, blows) => {
      expectRestored(await restore(backup, damageGuild(backup, blows)));
    }),
    { numRuns: 40 },
  );
});

test('the same holds in whatever order the steps of a stage happen to end', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryDamage,
      fc.infiniteStream(fc.nat(1000)),
      async (backup, blows, rolls) => {
        const pick: PickStep = (ready) => ready[(rolls.next().value ?? 0) % ready.length];
        expectRestored(await restore(backup, damageGuild(backup, blows), pick));
      },
    ),
    runs,
  );
});

test('a server is rebuilt in another server, whatever that one holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryGuild(small, '800000000000000000'),
      async (backup, target) => {
        expectRestored(await restore(backup, target));
      },
    ),
    runs,
  );
});

test('a server of 500 channels and 250 roles is restored over one that is as full', async () => {
  const full = { channels: 500, roles: 248, exactly: true };
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(full),
      arbitraryGuild(full, '800000000000000000'),
      async (backup, target) => {
        expectRestored(await restore(backup, target));
      },
    ),
    // Thousands of parts are not worth making smaller: the seed is enough.
    { numRuns: 1, endOnFailure: true },
  );
});

test('a full community names new rules channels before the old ones are deleted', async () => {
  const full = { channels: 500, roles: 3, exactly: true };
  const [backup] = fc.sample(arbitraryGuild(full), 1);
  const [sample] = fc.sample(arbitraryGuild(full, '800000000000000000'), 1);
  if (!backup || !sample) throw new Error('No sample');
  const isCommunity = sample.settings.features.includes('COMMUNITY');
  const target = isCommunity ? sample : damageGuild(sample, [{ what: 'community' }]);
  const { plan } = await restore(backup, target, (ready) => ready.at(-1));
  const handOver = plan.steps.find(
    ({ action, stage }) => action.do === 'editSettings' && stage === 'build',
  );
  expect(handOver).toBeDefined();
});

test('more channels than fit at once are replaced with no more early deletions than needed', async () => {
  const [backup] = fc.sample(arbitraryGuild({ channels: 300, roles: 3, exactly: true }), 1);
  const size = { channels: 280, roles: 3, exactly: true };
  const [target] = fc.sample(arbitraryGuild(size, '800000000000000000'), 1);
  if (!backup || !target) throw new Error('No sample');
  // Backwards, so that whatever may run too soon does.
  const { plan } = await restore(backup, target, (ready) => ready.at(-1));
  const early = plan.steps.filter(
    ({ action, stage }) => action.do === 'deleteChannel' && stage.startsWith('build'),
  );
  expect(early.length).toBe(80);
});

test('a restore onto a server that is already right only replaces channels', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(small), async (backup) => {
      const { steps } = planFor(backup, backup);
      const others = steps.filter(({ type }) => type !== 'channel' && type !== 'settings');
      expect(others).toEqual([]);
    }),
    runs,
  );
});

test('every step survives being stored and read back', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(small), arbitraryDamage, async (backup, blows) => {
      for (const { action } of planFor(backup, damageGuild(backup, blows)).steps) {
        expect(actionSchema.parse(JSON.parse(JSON.stringify(action)))).toEqual(
          JSON.parse(JSON.stringify(action)),
        );
      }
    }),
    { numRuns: 50 },
  );
});

test('a restore that dies at any step goes on without creating anything twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryDamage,
      fc.nat(80),
      fc.boolean(),
      async (backup, blows, at, tookEffect) => {
        const target = damageGuild(backup, blows);
        const plan = planFor(backup, target);
        const guild = createModelGuild(structuredClone(target));
        const idsBefore = new Set(allIds(target));
        const claimedIds = new Set<string>();
        let idMap: IdMap = plan.idMap;
        for (const [index, { action }] of plan.steps.entries()) {
          let createdId: string | undefined;
          if (index === at && tookEffect) {
            // The outcome of this call is lost.
            await runStep(guild, action, idMap, loadBlank);
          }
          if (index === at) {
            const current = structuredClone(guild.state);
            [createdId] = findCreated(action, { current, idsBefore, claimedIds, idMap });
            expect(createdId !== undefined).toBe(tookEffect && action.do.startsWith('create'));
          }
          createdId ??= (await runStep(guild, action, idMap, loadBlank)).createdId;
          if (createdId) claimedIds.add(createdId);
          idMap = recordCreated(idMap, action, createdId);
        }
        if (isExcused(plan)) return;
        expect(findDifferences(snapshotOf(backup), guild.state, idMap, everyComponent)).toEqual([]);
      },
    ),
    runs,
  );
});

const allIds = ({ roles, channels, emojis, stickers }: TestGuild): string[] =>
  [roles, channels, emojis, stickers].flat().map(({ id }) => id);
