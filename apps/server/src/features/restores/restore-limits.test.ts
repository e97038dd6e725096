import { expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  everyComponent,
  permissionSet,
  snapshotOf,
  type TestGuild,
} from '../../../test/guild-arbitraries.ts';
import { arbitraryWreck, wreck } from '../../../test/guild-wreck.ts';
import { runOnModel } from '../../../test/run-on-model.ts';
import { permission } from '../../platform/permissions.ts';
import { byRank } from '../../platform/powers.ts';
import { findDifferences } from './differences.ts';
import { planRestore } from './plan.ts';
import type { RestorePlan } from './step.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

const small = { channels: 10, roles: 6 };

const someComponents = fc.subarray(everyComponent, { minLength: 1 });

test('a restore of some parts keeps private channels private and gets those parts right', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryWreck,
      someComponents,
      async (backup, blows, components) => {
        const target = wreck(backup, blows);
        const desired = snapshotOf(backup);
        const plan = planRestore({ desired, present: target, components, bot: BOT });
        if (plan.blockers.length > 0) return;
        const { state, idMap } = await runOnModel(plan, backup, target);
        if (plan.losses.length > 0) return;
        expect(findDifferences(desired, state, idMap, components)).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});

/** Enough to begin, and a chance of everything else. */
const enough =
  permission.manageRoles |
  permission.manageChannels |
  permission.viewChannel |
  permission.manageGuild |
  permission.banMembers |
  permission.manageNicknames |
  permission.manageExpressions |
  permission.createExpressions;

const lesserBot = fc.record({ permissions: permissionSet, rank: fc.nat(6) });

const demoteBot = (
  target: TestGuild,
  { permissions, rank }: { permissions: string; rank: number },
) => {
  const demoted = structuredClone(target);
  const own = demoted.roles.pop();
  if (!own) throw new Error('The bot has a role of its own');
  own.permissions = (enough | BigInt(permissions)).toString();
  demoted.roles.splice(1 + Math.min(rank, demoted.roles.length - 1), 0, own);
  demoted.roles.forEach((role, position) => {
    role.position = position;
  });
  return demoted;
};

test('a bot with little power does what it can, tells what it cannot, and opens nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryWreck,
      lesserBot,
      async (backup, blows, bot) => {
        const target = demoteBot(wreck(backup, blows), bot);
        const desired = snapshotOf(backup);
        const components = everyComponent;
        const plan = planRestore({ desired, present: target, components, bot: BOT });
        if (plan.blockers.length > 0) return;
        expectNothingDoomed(plan, target);
        const { state, idMap } = await runOnModel(plan, backup, target);
        const differences = findDifferences(desired, state, idMap, everyComponent);
        if (plan.losses.length === 0) expect(differences).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});

const expectNothingDoomed = ({ steps, idMap }: RestorePlan, target: TestGuild) => {
  const own = target.roles.find(({ id }) => BOT.roleIds.includes(id));
  const everyone = target.roles.find(({ id }) => id === target.guildId);
  if (!own || !everyone) throw new Error('The bot has a role of its own');
  const has = BigInt(own.permissions) | BigInt(everyone.permissions);
  const can = (has & permission.administrator) === 0n ? has : -1n;
  const roleOf = (id: string | undefined) => target.roles.find((role) => role.id === id);
  for (const { action } of steps) {
    if (action.do === 'editRole' && 'backup' in action.role) {
      const role = roleOf(idMap.roles[action.role.backup]);
      if (role) expect(byRank(own, role)).toBeGreaterThan(0);
      const given = BigInt(action.changes.permissions ?? 0) & ~BigInt(role?.permissions ?? 0);
      expect(given & ~can).toBe(0n);
    }
    if (action.do === 'deleteRole') {
      expect(byRank(own, roleOf(action.roleId) ?? own)).toBeGreaterThan(0);
    }
    if (action.do === 'createChannel') {
      const set = action.wish.overwrites.map(({ allow, deny }) => BigInt(allow) | BigInt(deny));
      expect(set.filter((bits) => (bits & ~can) !== 0n)).toEqual([]);
    }
  }
};

test('a bot without the power for a part at all is stopped before the first change', () => {
  const [backup] = fc.sample(arbitraryGuild({ channels: 3, roles: 2, exactly: true }), 1);
  if (!backup) throw new Error('No sample');
  const target = structuredClone(backup);
  for (const role of target.roles) role.permissions = '0';
  const { blockers } = planRestore({
    desired: snapshotOf(backup),
    present: target,
    components: ['channels'],
    bot: BOT,
  });
  expect(blockers.join()).toContain('manage channels');
});

test('planning never changes what it was given', () => {
  fc.assert(
    fc.property(arbitraryGuild(small), arbitraryWreck, (backup, blows) => {
      const target = wreck(backup, blows);
      const before = structuredClone(target);
      const desired = snapshotOf(backup);
      planRestore({ desired, present: target, components: everyComponent, bot: BOT });
      expect(target).toEqual(before);
      expect(desired).toEqual(snapshotOf(backup));
    }),
    { numRuns: 50 },
  );
});
