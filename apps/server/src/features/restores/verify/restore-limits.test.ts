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
import { demoteBot, lesserBot } from '../../../../test/harness/guilds/lesser-bot.ts';
import { smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { runOnModel } from '../../../../test/harness/restores/run-on-model.ts';
import { tries } from '../../../../test/harness/tries.ts';
import { compareRank, permission } from '../../../platform/permissions.ts';
import { planRestore } from '../plan/plan-restore.ts';
import type { RestorePlan } from '../plan/step.ts';
import { findDifferences } from './differences.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

const small = { channels: 10, roles: 6 };

const someComponents = fc.subarray(everyComponent, { minLength: 1 });

test('a restore of some parts keeps private channels private and gets those parts right', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryDamage,
      someComponents,
      async (backup, blows, components) => {
        const target = damageGuild(backup, blows);
        const snapshot = snapshotOf(backup);
        const plan = planRestore({ snapshot, current: target, components, bot: BOT });
        if (plan.blockers.length > 0) return;
        const { state, idMap } = await runOnModel(plan, backup, target);
        if (plan.losses.length > 0) return;
        expect(findDifferences(snapshot, state, idMap, components)).toEqual([]);
      },
    ),
    tries(50),
  );
});

test('a bot with few permissions does what it can, names what it cannot, and opens nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryGuild(small),
      arbitraryDamage,
      lesserBot,
      async (backup, blows, bot) => {
        const target = demoteBot(damageGuild(backup, blows), bot);
        const snapshot = snapshotOf(backup);
        const components = everyComponent;
        const plan = planRestore({ snapshot, current: target, components, bot: BOT });
        if (plan.blockers.length > 0) return;
        expectNothingDoomed(plan, target);
        const { state, idMap } = await runOnModel(plan, backup, target);
        const differences = findDifferences(snapshot, state, idMap, everyComponent);
        if (plan.losses.length === 0) expect(differences).toEqual([]);
      },
    ),
    tries(50),
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
      if (role) expect(compareRank(own, role)).toBeGreaterThan(0);
      const given = BigInt(action.changes.permissions ?? 0) & ~BigInt(role?.permissions ?? 0);
      expect(given & ~can).toBe(0n);
    }
    if (action.do === 'deleteRole') {
      expect(compareRank(own, roleOf(action.roleId) ?? own)).toBeGreaterThan(0);
    }
    if (action.do === 'createChannel') {
      const set = action.wish.overwrites.map(({ allow, deny }) => BigInt(allow) | BigInt(deny));
      expect(set.filter((bits) => (bits & ~can) !== 0n)).toEqual([]);
    }
  }
};

test('a bot without the permission for a component is stopped before the first change', () => {
  const [backup] = fc.sample(arbitraryGuild({ channels: 3, roles: 2, exactly: true }), 1);
  if (!backup) throw new Error('No sample');
  const target = structuredClone(backup);
  for (const role of target.roles) role.permissions = '0';
  const { blockers } = planRestore({
    snapshot: snapshotOf(backup),
    current: target,
    components: ['channels'],
    bot: BOT,
  });
  expect(blockers.join()).toContain('manage channels');
});

test('planning never changes what it was given', () => {
  fc.assert(
    fc.property(arbitraryGuild(small), arbitraryDamage, (backup, blows) => {
      const target = damageGuild(backup, blows);
      const before = structuredClone(target);
      const snapshot = snapshotOf(backup);
      planRestore({ snapshot, current: target, components: everyComponent, bot: BOT });
      expect(target).toEqual(before);
      expect(snapshot).toEqual(snapshotOf(backup));
    }),
    tries(12),
  );
});

test('a forum gets its flags after it is created, in the call that opens it or in one of its own', async () => {
  const backup = smallGuild();
  const [open, hidden] = backup.channels;
  if (!open || !hidden) throw new Error('The server has two channels');
  backup.settings.features = ['COMMUNITY'];
  // Tags are required; the lowest flag is the platform's own.
  backup.channels = [
    { ...open, kind: 'forum', flags: 17 },
    { ...hidden, kind: 'forum', flags: 16 },
    { ...open, id: '303', flags: 1 },
  ];
  const target = { ...structuredClone(backup), channels: [] };
  const snapshot = snapshotOf(backup);
  const restorePlan = planRestore({
    snapshot,
    current: target,
    components: everyComponent,
    bot: BOT,
  });
  const edits = restorePlan.steps.flatMap(({ action }) =>
    action.do === 'setOverwrites' ? [action] : [],
  );
  expect(edits.map(({ channel, flags }) => [channel, flags])).toEqual([
    [{ backup: '303' }, undefined],
    [{ backup: '301' }, 16],
    [{ backup: '302' }, 16],
  ]);
  const { state, idMap } = await runOnModel(restorePlan, backup, target);
  expect(findDifferences(snapshot, state, idMap, ['channels'])).toEqual([]);
});
