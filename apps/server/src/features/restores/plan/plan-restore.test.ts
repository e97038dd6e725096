import { describe, expect, test } from 'bun:test';
import {
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../../../../test/harness/guilds/parts.ts';
import { guildId, see, shut, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { runOnModel } from '../../../../test/harness/restores/run-on-model.ts';
import { permission } from '../../../platform/permissions.ts';
import { describePlan } from './describe-plan.ts';
import { describeLoss, toStoredLoss } from './loss.ts';
import { describeNote } from './note.ts';
import type { PlanInput } from './plan-context.ts';
import { planRestore } from './plan-restore.ts';
import { isVisibleToEveryone } from './visibility.ts';

const plan = (backup: TestGuild, target: TestGuild, components = everyComponent) =>
  planRestore({ snapshot: snapshotOf(backup), current: target, components, bot: BOT });

/** The same guild, in which a role was created anew under its old name. */
const withNamesake = (name: string, permissions: bigint): TestGuild => {
  const target = smallGuild();
  target.roles = target.roles.filter((role) => role.name !== name);
  target.roles.push(newRole({ id: '999', name, position: 1, permissions: permissions.toString() }));
  return target;
};

describe('a role that only has the right name', () => {
  test('is used again where it gains no power by it', () => {
    expect(plan(smallGuild(), withNamesake('Member', 0n)).idMap.roles['201']).toBe('999');
  });

  test('is replaced by a fresh one where the backup gives power to its name', () => {
    const { steps, idMap } = plan(smallGuild(), withNamesake('Staff', permission.manageMessages));
    expect(idMap.roles['202']).toBeUndefined();
    const actions = steps.map(({ action }) => action);
    expect(actions.some((one) => one.do === 'createRole' && one.oldId === '202')).toBe(true);
    expect(actions).toContainEqual({ do: 'deleteRole', roleId: '999' });
  });

  test('is replaced even with equal permissions where its name opens a private channel', () => {
    const { idMap } = plan(smallGuild(), withNamesake('Staff', permission.kickMembers));
    expect(idMap.roles['202']).toBeUndefined();
  });
});

test('steps that take permissions away come before anything is built, steps that give them after', () => {
  const backup = smallGuild();
  const target = smallGuild();
  const everyone = target.roles[0];
  if (everyone) everyone.permissions = permission.mentionEveryone.toString();
  const edits = plan(backup, target).steps.filter(({ action }) => action.do === 'editRole');
  expect(edits.map(({ stage, action }) => [stage, 'changes' in action && action.changes])).toEqual([
    ['tighten', { permissions: '0' }],
    ['finish', { permissions: see }],
  ]);
});

test('channels that are private only because nobody sees channels stay private without the roles', async () => {
  const backup = smallGuild();
  const base = backup.roles[0];
  if (base) base.permissions = '0';
  const target = smallGuild();
  const restorePlan = plan(backup, target, ['channels']);
  const { state, idMap } = await runOnModel(restorePlan, backup, target);
  const made = state.channels.find(({ id }) => id === idMap.channels['301']);
  expect(isVisibleToEveryone(BigInt(see), made?.overwrites ?? [], guildId)).toBe(false);
});

describe('an old channel that is private only because nobody sees channels', () => {
  /** A role lets its holders see channels: one that is there, or one that is made anew. */
  const planFor = (isRoleThere: boolean, input: Partial<PlanInput>) => {
    const [backup, target] = [smallGuild(), smallGuild()];
    target.channels = [newChannel({ id: '999', kind: 'text', name: 'old' })];
    for (const { roles } of [backup, target]) {
      for (const role of roles) if (role.id === guildId) role.permissions = '0';
    }
    for (const role of backup.roles) if (role.id === '201') role.permissions = see;
    if (!isRoleThere) target.roles = target.roles.filter(({ id }) => id !== '201');
    const content = { snapshot: snapshotOf(backup), components: everyComponent, bot: BOT };
    return planRestore({ ...content, current: target, ...input });
  };

  test.each<['hidden' | 'left', 'present' | 'new', string, Partial<PlanInput>]>([
    ['hidden', 'present', 'a restore deletes it', {}],
    ['hidden', 'new', 'a restore deletes it', {}],
    ['hidden', 'present', 'a repair keeps it', { mode: 'REPAIR' }],
    ['left', 'new', 'a repair keeps it', { mode: 'REPAIR' }],
    ['hidden', 'new', 'a repair deletes it', { mode: 'REPAIR', deleteExtra: true }],
    ['left', 'new', 'only roles are restored', { components: ['roles'] }],
  ])('is %s before a %s role gains to see channels, where %s', (what, role, _, input) => {
    const acts = planFor(role === 'present', input).steps.map(({ action }) => action);
    const hides = acts.findIndex((act) => act.do === 'setOverwrites' && act.purpose === 'shield');
    expect(hides >= 0 ? 'hidden' : 'left').toBe(what);
    expect(hides).toBeLessThan(acts.findIndex((act) => act.do === 'editRole'));
  });
});

test('nothing private can be restored among administrators, so it is refused before it begins', () => {
  const target = smallGuild();
  const everyone = target.roles[0];
  if (everyone) everyone.permissions = permission.administrator.toString();
  expect(plan(smallGuild(), target, ['channels']).blockers.join()).toContain('administrator');
  expect(plan(smallGuild(), target).blockers).toEqual([]);
});

test('old channels are deleted only after the new ones are open', () => {
  const { steps } = plan(smallGuild(), smallGuild());
  const reveals = steps.filter(({ stage }) => stage === 'reveal');
  const deletions = steps.filter(({ action }) => action.do === 'deleteChannel');
  expect(reveals.map(({ name }) => name)).toEqual(['general']);
  expect(deletions).toHaveLength(2);
  const lastReveal = Math.max(...reveals.map(({ seq }) => seq));
  expect(deletions.every(({ seq }) => seq > lastReveal)).toBe(true);
});

test('a backup without channels leaves one channel, which is a loss', () => {
  const backup = { ...smallGuild(), channels: [] };
  const { steps, losses } = plan(backup, smallGuild());
  expect(steps.filter(({ action }) => action.do === 'deleteChannel')).toHaveLength(1);
  expect(losses.map(({ name }) => name)).toEqual(['general']);
});

test('a role of a missing integration is a note, not a loss, and is not created', () => {
  const backup = smallGuild();
  backup.roles.push(
    newRole({ id: '203', name: 'Music', isManaged: true, botId: '5', position: 4 }),
  );
  const { steps, losses, notes } = plan(backup, smallGuild());
  expect(losses).toEqual([]);
  expect(notes).toContainEqual({ code: 'managedRoleMissing', name: 'Music' });
  expect(steps.filter(({ effect, type }) => effect === 'create' && type === 'role')).toEqual([]);
});

test('the switch for discovery is a step of its own, since the platform may refuse it', () => {
  const backup = smallGuild();
  backup.settings.features = ['DISCOVERABLE', 'INVITES_DISABLED'];
  const edits = plan(backup, smallGuild()).steps.flatMap(({ action, stage }) =>
    action.do === 'editSettings' ? [[stage, action.changes.features]] : [],
  );
  expect(edits).toEqual([
    ['finish', ['INVITES_DISABLED']],
    ['reveal', ['INVITES_DISABLED', 'DISCOVERABLE']],
  ]);
});

test('pictures are set only where they differ, and are losses where they cannot be', () => {
  const backup = smallGuild();
  Object.assign(backup.settings, { iconHash: 'new', bannerHash: 'b' });
  const snapshot = snapshotOf(backup);
  const stored = { hash: 'object', contentType: 'image/png' };
  const pictures = { icon: stored, splash: null, discoverySplash: null, banner: stored };
  snapshot.settings = [{ ...backup.settings, pictures }];
  const { steps, losses } = planRestore({
    snapshot,
    current: smallGuild(),
    components: ['settings'],
    bot: BOT,
  });
  const edits = steps.flatMap(({ action }) => (action.do === 'editSettings' ? [action] : []));
  expect(edits.map((edit) => edit.pictures)).toEqual([{ icon: stored }]);
  expect(losses.map(({ name }) => name)).toEqual(['banner']);
  const same = planRestore({ snapshot, current: backup, components: ['settings'], bot: BOT });
  expect(same.steps).toEqual([]);
});

describe('a bot that is no administrator', () => {
  const channelWork = permission.manageChannels | permission.manageRoles | permission.viewChannel;
  /** The bot's own role and @everyone have just these. */
  const withBot = (own: bigint, everyone: bigint): TestGuild => {
    const target = smallGuild();
    const permissionsOf = new Map([
      ['7700', own],
      [guildId, everyone],
    ]);
    for (const role of target.roles) {
      role.permissions = (permissionsOf.get(role.id) ?? BigInt(role.permissions)).toString();
    }
    return target;
  };

  test('leaves a channel closed where it cannot deny what the backup denies', () => {
    const backup = smallGuild();
    const silent = { ...shut, deny: permission.sendMessages.toString() };
    backup.channels = [newChannel({ id: '301', kind: 'text', name: 'news', overwrites: [silent] })];
    const target = withBot(channelWork, permission.viewChannel);
    const { steps, losses } = plan(backup, target, ['channels']);
    const made = steps.flatMap(({ action }) => (action.do === 'createChannel' ? [action] : []));
    expect(made.map(({ wish }) => wish.overwrites)).toEqual([[shut]]);
    expect(steps.filter(({ stage }) => stage === 'reveal')).toEqual([]);
    expect(losses.map((loss) => describeLoss(toStoredLoss(loss))).join()).toContain(
      'send messages',
    );
  });

  test('does not rely on a permission of @everyone that the restore itself takes away', () => {
    const target = withBot(0n, channelWork);
    const { blockers } = plan(smallGuild(), target, ['roles', 'channels']);
    expect(blockers.join()).toContain('manage roles');
    expect(plan(target, target, ['roles', 'channels']).blockers).toEqual([]);
  });
});

test('a preview names each thing once and counts every call', () => {
  const target = withNamesake('Staff', permission.manageMessages);
  const restorePlan = plan(smallGuild(), target);
  const preview = describePlan(restorePlan);
  expect(preview.create.map(({ name }) => name)).toEqual(['Staff', 'general', 'staff']);
  expect(preview.delete.map(({ name }) => name)).toEqual(['staff', 'general', 'Staff']);
  expect(preview.update.map(({ name }) => name)).toEqual([
    'the order of the roles',
    'the order of the channels',
  ]);
  expect(preview.calls).toBe(restorePlan.steps.length);
  expect(preview.estimatedSeconds).toBeGreaterThan(0);
  expect(preview.warnings).toEqual([
    '2 old channels are deleted with all their messages and threads, their webhooks and their invites.',
  ]);
});

test('a restore that is over tells of deleted channels as of the past', () => {
  const note = { code: 'deletedWithChannels', channels: 2, webhooks: 1, hasWidget: true } as const;
  expect(describeNote(note, true)).toBe(
    '2 old channels were deleted with all their messages and threads, 1 webhook and their invites. The widget pointed to one of them.',
  );
  expect(describeNote({ ...note, channels: 1, hasWidget: false })).toStartWith(
    '1 old channel is deleted with all its messages and threads,',
  );
});

test('many calls of one sort take longer than as many of different sorts', () => {
  const backup = smallGuild();
  const names = Array.from({ length: 60 }, (_, index) => `room-${index}`);
  backup.channels.push(
    ...names.map((name, index) => newChannel({ id: `4${index + 10}`, kind: 'text', name })),
  );
  const { estimatedSeconds, calls } = describePlan(plan(backup, smallGuild()));
  expect(calls).toBeGreaterThan(120);
  expect(estimatedSeconds).toBeGreaterThanOrEqual(60);
  expect(estimatedSeconds).toBeLessThan(calls);
});
