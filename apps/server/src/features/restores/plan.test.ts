import { describe, expect, test } from 'bun:test';
import {
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../test/guild-arbitraries.ts';
import { newChannel, newRole } from '../../../test/guild-parts.ts';
import { loadBlank, runOnModel } from '../../../test/run-on-model.ts';
import { guildId, see, server, shut } from '../../../test/small-server.ts';
import { permission } from '../../platform/permissions.ts';
import { findDifferences } from './differences.ts';
import { reasonToHoldBack } from './gate.ts';
import { createModelGuild } from './model-guild.ts';
import { planRestore } from './plan.ts';
import { previewPlan } from './preview.ts';
import { findCreated } from './reconcile.ts';
import { runStep } from './run-step.ts';
import { isVisibleToEveryone } from './visibility.ts';

const plan = (backup: TestGuild, target: TestGuild, components = everyComponent) =>
  planRestore({ desired: snapshotOf(backup), present: target, components, bot: BOT });

/** The same server, in which a role was made anew under its old name. */
const withNamesake = (name: string, permissions: bigint): TestGuild => {
  const target = server();
  target.roles = target.roles.filter((role) => role.name !== name);
  target.roles.push(newRole({ id: '999', name, position: 1, permissions: permissions.toString() }));
  return target;
};

describe('a role that only has the right name', () => {
  test('is used again where it gains no power by it', () => {
    expect(plan(server(), withNamesake('Member', 0n)).idMap.roles['201']).toBe('999');
  });

  test('is replaced by a fresh one where the backup gives power to its name', () => {
    const { steps, idMap } = plan(server(), withNamesake('Staff', permission.manageMessages));
    expect(idMap.roles['202']).toBeUndefined();
    const actions = steps.map(({ action }) => action);
    expect(actions.some((one) => one.do === 'createRole' && one.oldId === '202')).toBe(true);
    expect(actions).toContainEqual({ do: 'deleteRole', roleId: '999' });
  });

  test('is replaced even with equal permissions where its name opens a private channel', () => {
    const { idMap } = plan(server(), withNamesake('Staff', permission.kickMembers));
    expect(idMap.roles['202']).toBeUndefined();
  });
});

test('what takes rights away comes before anything is built, what gives them after', () => {
  const backup = server();
  const target = server();
  const everyone = target.roles[0];
  if (everyone) everyone.permissions = permission.mentionEveryone.toString();
  const edits = plan(backup, target).steps.filter(({ action }) => action.do === 'editRole');
  expect(edits.map(({ stage, action }) => [stage, 'changes' in action && action.changes])).toEqual([
    ['tighten', { permissions: '0' }],
    ['finish', { permissions: see }],
  ]);
});

test('channels that are private only because nobody sees channels stay private without the roles', async () => {
  const backup = server();
  const base = backup.roles[0];
  if (base) base.permissions = '0';
  const target = server();
  const restorePlan = plan(backup, target, ['channels']);
  const { state, idMap } = await runOnModel(restorePlan, backup, target);
  const made = state.channels.find(({ id }) => id === idMap.channels['301']);
  expect(isVisibleToEveryone(BigInt(see), made?.overwrites ?? [], guildId)).toBe(false);
});

test('nothing private can be restored among administrators, so it is refused before it begins', () => {
  const target = server();
  const everyone = target.roles[0];
  if (everyone) everyone.permissions = permission.administrator.toString();
  expect(plan(server(), target, ['channels']).blockers.join()).toContain('administrator');
  expect(plan(server(), target).blockers).toEqual([]);
});

test('old channels go only after the new ones are open', () => {
  const { steps } = plan(server(), server());
  const reveals = steps.filter(({ stage }) => stage === 'reveal');
  const deletions = steps.filter(({ action }) => action.do === 'deleteChannel');
  expect(reveals.map(({ name }) => name)).toEqual(['general']);
  expect(deletions).toHaveLength(2);
  const lastReveal = Math.max(...reveals.map(({ seq }) => seq));
  expect(deletions.every(({ seq }) => seq > lastReveal)).toBe(true);
});

test('a backup without channels leaves one standing and says so', () => {
  const backup = { ...server(), channels: [] };
  const { steps, losses } = plan(backup, server());
  expect(steps.filter(({ action }) => action.do === 'deleteChannel')).toHaveLength(1);
  expect(losses.map(({ name }) => name)).toEqual(['general']);
});

test('a role of an integration that is not here is named, not made', () => {
  const backup = server();
  backup.roles.push(
    newRole({ id: '203', name: 'Music', isManaged: true, botId: '5', position: 4 }),
  );
  const { steps, losses } = plan(backup, server());
  expect(losses).toEqual([
    {
      type: 'role',
      name: 'Music',
      reason: 'it belongs to a bot or an integration and comes back with it',
    },
  ]);
  expect(steps.filter(({ effect, type }) => effect === 'create' && type === 'role')).toEqual([]);
});

test('being found in the discovery is asked for on its own, since the platform may refuse it', () => {
  const backup = server();
  backup.settings.features = ['DISCOVERABLE', 'INVITES_DISABLED'];
  const edits = plan(backup, server()).steps.flatMap(({ action, stage }) =>
    action.do === 'editSettings' ? [[stage, action.changes.features]] : [],
  );
  expect(edits).toEqual([
    ['finish', ['INVITES_DISABLED']],
    ['reveal', ['INVITES_DISABLED', 'DISCOVERABLE']],
  ]);
});

test('pictures are set only where they differ, and named where they cannot be', () => {
  const backup = server();
  Object.assign(backup.settings, { iconHash: 'new', bannerHash: 'b' });
  const desired = snapshotOf(backup);
  const stored = { hash: 'object', contentType: 'image/png' };
  const pictures = { icon: stored, splash: null, discoverySplash: null, banner: stored };
  desired.settings = [{ ...backup.settings, pictures }];
  const { steps, losses } = planRestore({
    desired,
    present: server(),
    components: ['settings'],
    bot: BOT,
  });
  const edits = steps.flatMap(({ action }) => (action.do === 'editSettings' ? [action] : []));
  expect(edits.map((edit) => edit.pictures)).toEqual([{ icon: stored }]);
  expect(losses.map(({ name }) => name)).toEqual(['banner']);
  const same = planRestore({ desired, present: backup, components: ['settings'], bot: BOT });
  expect(same.steps).toEqual([]);
});

describe('a bot that is no administrator', () => {
  const channelWork = permission.manageChannels | permission.manageRoles | permission.viewChannel;
  /** The bot's own role and @everyone have just these. */
  const withBot = (own: bigint, everyone: bigint): TestGuild => {
    const target = server();
    const permissionsOf = new Map([
      ['7700', own],
      [guildId, everyone],
    ]);
    for (const role of target.roles) {
      role.permissions = (permissionsOf.get(role.id) ?? BigInt(role.permissions)).toString();
    }
    return target;
  };

  test('leaves a channel closed where it cannot forbid what the backup forbids', () => {
    const backup = server();
    const silent = { ...shut, deny: permission.sendMessages.toString() };
    backup.channels = [newChannel({ id: '301', kind: 'text', name: 'news', overwrites: [silent] })];
    const target = withBot(channelWork, permission.viewChannel);
    const { steps, losses } = plan(backup, target, ['channels']);
    const made = steps.flatMap(({ action }) => (action.do === 'createChannel' ? [action] : []));
    expect(made.map(({ wish }) => wish.overwrites)).toEqual([[shut]]);
    expect(steps.filter(({ stage }) => stage === 'reveal')).toEqual([]);
    expect(losses.map(({ reason }) => reason).join()).toContain('send messages');
  });

  test('does not begin on a power of everyone that the restore itself takes away', () => {
    const target = withBot(0n, channelWork);
    const { blockers } = plan(server(), target, ['roles', 'channels']);
    expect(blockers.join()).toContain('manage roles');
    expect(plan(target, target, ['roles', 'channels']).blockers).toEqual([]);
  });
});

describe('when a step fails', () => {
  const step = { stage: 'deleteChannels', type: 'channel', effect: 'delete', name: 'old' } as const;
  const create = { stage: 'build', type: 'channel', effect: 'create', name: 'general' } as const;
  const shield = { stage: 'tighten', type: 'channel', effect: 'update', name: 'staff' } as const;

  test('old channels stay where a new one could not be made', () => {
    expect(reasonToHoldBack(step, [create])).toContain('general');
    expect(reasonToHoldBack(step, [])).toBeUndefined();
  });

  test('nothing more is done where rights could not be taken away first', () => {
    expect(reasonToHoldBack(create, [shield])).toContain('staff');
  });

  test('everyone becomes an administrator only where the old channels are gone', () => {
    const grant = { stage: 'sweep', type: 'role', effect: 'update', name: '@everyone' } as const;
    expect(reasonToHoldBack(grant, [step])).toContain('Held back');
    expect(reasonToHoldBack(grant, [])).toBeUndefined();
  });
});

test('a preview names each thing once and counts every call', () => {
  const target = withNamesake('Staff', permission.manageMessages);
  const restorePlan = plan(server(), target);
  const preview = previewPlan(restorePlan);
  expect(preview.create.map(({ name }) => name)).toEqual(['Staff', 'general', 'staff']);
  expect(preview.delete.map(({ name }) => name)).toEqual(['staff', 'general', 'Staff']);
  expect(preview.update.map(({ name }) => name)).toEqual([
    'the order of the roles',
    'the order of the channels',
  ]);
  expect(preview.calls).toBe(restorePlan.steps.length);
  expect(preview.estimatedSeconds).toBeGreaterThan(0);
  expect(preview.warnings).toEqual([]);
});

test('many calls of one sort take longer than as many of different sorts', () => {
  const backup = server();
  const names = Array.from({ length: 60 }, (_, index) => `room-${index}`);
  backup.channels.push(
    ...names.map((name, index) => newChannel({ id: `4${index + 10}`, kind: 'text', name })),
  );
  const { estimatedSeconds, calls } = previewPlan(plan(backup, server()));
  expect(calls).toBeGreaterThan(120);
  expect(estimatedSeconds).toBeGreaterThanOrEqual(60);
  expect(estimatedSeconds).toBeLessThan(calls);
});

test('of two namesakes a public one is never taken for the private one that was begun', async () => {
  const backup = server();
  const [open, hidden] = backup.channels;
  if (!open || !hidden) throw new Error('The server has two channels');
  backup.channels = [
    { ...open, name: 'room' },
    { ...hidden, name: 'room' },
  ];
  const { steps, idMap } = plan(backup, { ...server(), channels: [] });
  const [openStep, hiddenStep] = steps.filter(({ action }) => action.do === 'createChannel');
  if (!openStep || !hiddenStep) throw new Error('Both are made');
  const guild = createModelGuild({ ...server(), channels: [] });
  await runStep(guild, openStep.action, idMap, loadBlank);
  const evidence = {
    present: guild.state,
    idsBefore: new Set([guildId]),
    claimedIds: new Set<string>(),
  };
  expect(findCreated(hiddenStep.action, { ...evidence, idMap })).toBeUndefined();
  expect(findCreated(openStep.action, { ...evidence, idMap })).toBe(guild.state.channels[0]?.id);
});

test('a forum gets its flags when it stands: by the call that opens it, or by one that does not', async () => {
  const backup = server();
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
  const restorePlan = plan(backup, target);
  const edits = restorePlan.steps.flatMap(({ action }) =>
    action.do === 'setOverwrites' ? [action] : [],
  );
  expect(edits.map(({ channel, flags }) => [channel, flags])).toEqual([
    [{ backup: '303' }, undefined],
    [{ backup: '301' }, 16],
    [{ backup: '302' }, 16],
  ]);
  const { state, idMap } = await runOnModel(restorePlan, backup, target);
  expect(findDifferences(snapshotOf(backup), state, idMap, ['channels'])).toEqual([]);
});
