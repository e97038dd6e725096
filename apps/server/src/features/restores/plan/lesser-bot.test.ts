import { expect, test } from 'bun:test';
import {
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../../../../test/harness/guilds/parts.ts';
import { guildId, see, shut, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { loadBlank } from '../../../../test/harness/restores/run-on-model.ts';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { permission } from '../../../platform/permissions.ts';
import { runStep } from '../run/run-step.ts';
import { createModelGuild } from '../verify/model-guild.ts';
import type { Action } from './action.ts';
import { planRestore } from './plan-restore.ts';

const ownRole = BOT.roleIds[0] ?? '';
const enough = permission.manageRoles | permission.manageChannels | permission.viewChannel;

/** The small server with these channels, in which the bot is no administrator. */
const withChannels = (...channels: Channel[]): TestGuild => {
  const guild = { ...smallGuild(), channels };
  for (const role of guild.roles) if (role.id === ownRole) role.permissions = enough.toString();
  return guild;
};

const room = (overwrites: Overwrite[], fields: Partial<Channel> = {}): Channel =>
  newChannel({ id: '301', kind: 'text', name: 'room', overwrites, ...fields });

const forRole = (id: string, allow: bigint, deny: bigint): Overwrite => ({
  ...{ id, kind: 'role' as const },
  ...{ allow: allow.toString(), deny: deny.toString() },
});

const setEveryone = (guild: TestGuild, permissions: bigint): TestGuild => {
  for (const role of guild.roles) {
    if (role.id === guildId) role.permissions = permissions.toString();
  }
  return guild;
};

const repair = (backup: TestGuild, current: TestGuild) =>
  planRestore({
    ...{ snapshot: snapshotOf(backup), current, components: everyComponent },
    ...{ bot: BOT, mode: 'REPAIR' as const },
  });

const actionsOf = ({ steps }: { steps: { action: Action }[] }) => steps.map(({ action }) => action);

test('a channel in which the bot may not say who may do what is opened again as the backup has it', () => {
  const kept = forRole(ownRole, 0n, permission.manageRoles);
  const backup = withChannels(room([kept]));
  const plan = repair(backup, setEveryone(withChannels(room([kept])), 0n));
  expect(plan.blockers).toEqual([]);
  expect(plan.losses).toEqual([]);
  expect(actionsOf(plan)).toEqual([
    { do: 'editRole', role: { backup: guildId }, changes: { permissions: see } },
  ]);
});

test('nothing is repaired where a channel would be opened that the bot may neither hide nor set right', () => {
  const kept = forRole(ownRole, 0n, permission.manageRoles);
  const backup = withChannels(room([kept, forRole('202', 0n, permission.viewChannel)]));
  const { blockers } = repair(backup, setEveryone(withChannels(room([kept])), 0n));
  expect(blockers.join()).toContain('#room');
});

test('a channel is not hidden because of a role that stands above the bot and so gains nothing', () => {
  const backup = setEveryone(withChannels(), 0n);
  const target = setEveryone(withChannels(newChannel({ id: '999', kind: 'text', name: 'x' })), 0n);
  const boss = newRole({ id: '203', name: 'Boss', position: 4, permissions: see });
  backup.roles.push(boss);
  target.roles.push({ ...boss, permissions: '0' });
  const { steps, losses } = repair(backup, target);
  expect(steps).toEqual([]);
  expect(losses).toEqual([{ type: 'role', name: 'Boss', code: 'roleAboveBot' }]);
});

test('the bot does not shut itself out for a permission that it cannot deny to itself', () => {
  const backup = withChannels(room([forRole(ownRole, 0n, permission.moderateMembers)]));
  const { losses, steps } = repair(backup, withChannels(room([])));
  expect(losses.map(({ code }) => code)).toEqual(['overwritesNotSettable']);
  expect(steps).toEqual([]);
});

const guest = { userId: '600', nick: null, isBot: false };

/** A member gets a role, so that channels are closed before that and opened after it. */
const repairWhileRolesMove = (before: Overwrite[], now: Overwrite[]) =>
  repair(
    { ...withChannels(room(before)), members: [{ ...guest, roleIds: ['201'] }] },
    { ...withChannels(room(now)), members: [{ ...guest, roleIds: [] }] },
  );

const overwritesOf = (plan: { steps: { action: Action }[] }) =>
  actionsOf(plan).flatMap((action) =>
    action.do === 'editChannel' ? [action.changes.overwrites] : [],
  );

test('the bot keeps its access to a channel that it closes first and opens later', () => {
  const let201 = forRole('201', permission.viewChannel, 0n);
  const letBot = forRole(ownRole, permission.viewChannel, 0n);
  const plan = repairWhileRolesMove([let201], [shut, letBot]);
  const own = permission.viewChannel | permission.manageChannels;
  expect(plan.losses).toEqual([]);
  expect(overwritesOf(plan)).toEqual([
    expect.arrayContaining([
      shut,
      { id: BOT.userId, kind: 'member', allow: own.toString(), deny: '0' },
    ]),
    [let201],
  ]);
});

test('what the bot may not take away alone is out of sight until the whole rule goes', () => {
  const power = forRole('202', permission.manageMessages, permission.sendMessages);
  const hidden = permission.sendMessages | permission.viewChannel;
  const plan = repairWhileRolesMove([], [power]);
  expect(overwritesOf(plan)).toEqual([[forRole('202', permission.manageMessages, hidden)], []]);
});

test('a new voice channel stays closed where the bot may not connect and so cannot edit it, which is a loss', () => {
  const voice = room([], { kind: 'voice', name: 'Lounge', bitrate: 64_000 });
  const plan = repair(withChannels(voice), withChannels());
  expect(plan.losses).toEqual([{ type: 'channel', name: 'Lounge', code: 'channelNotEditable' }]);
  const [created, ...others] = actionsOf(plan);
  expect(created).toMatchObject({ wish: { overwrites: expect.arrayContaining([shut]) } });
  expect(others).toEqual([]);
});

test('a category does not open where a channel would follow it that the bot could not set back', async () => {
  // It may edit the category, but no voice channel, since it may not connect.
  const closed = [
    forRole(guildId, 0n, permission.viewChannel | permission.connect),
    forRole(ownRole, permission.viewChannel, 0n),
  ];
  const withCategory = (name: string, overwrites: Overwrite[]) =>
    withChannels(
      newChannel({ id: '300', kind: 'category', name, overwrites }),
      room(closed, { kind: 'voice', name: 'Lounge', bitrate: 64_000, parentId: '300' }),
    );
  const target = withCategory('Taken', closed);
  const plan = repair(withCategory('Hall', []), target);
  const guild = createModelGuild(target, { syncs: true });
  for (const { action } of plan.steps) await runStep(guild, action, plan.idMap, loadBlank);
  const [category, lounge] = guild.state.channels;
  expect([category?.name, lounge?.overwrites]).toEqual(['Hall', closed]);
  const codes = plan.losses.map(({ code }) => code);
  expect(codes).toEqual(['overwritesNotEditable', 'overwritesNotEditable']);
});
