import { describe, expect, test } from 'bun:test';
import type { BackupComponent } from '@holdfast/contract';
import {
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../../../../test/harness/guilds/parts.ts';
import { guildId, see, shut, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import type { Channel } from '../../../platform/guild.ts';
import { permission } from '../../../platform/permissions.ts';
import type { Action } from './action.ts';
import type { PlanInput } from './plan-context.ts';
import { planRestore } from './plan-restore.ts';

const repair = (backup: TestGuild, target: TestGuild, more: Partial<PlanInput> = {}) => {
  const components: readonly BackupComponent[] = everyComponent;
  const snapshot = snapshotOf(backup);
  return planRestore({ snapshot, current: target, components, bot: BOT, mode: 'REPAIR', ...more });
};

const actionsOf = ({ steps }: { steps: { action: Action }[] }) => steps.map(({ action }) => action);

/** The small guild in which #general is a new channel. */
const withNewGeneral = (fields: Partial<Channel> = {}): TestGuild => {
  const target = smallGuild();
  const [general, ...others] = target.channels;
  if (!general) throw new Error('The server has a channel');
  return { ...target, channels: [{ ...general, id: '999', ...fields }, ...others] };
};

describe('a channel that only has the right type, name and parent', () => {
  test('is kept where it is the only one', () => {
    const { steps, idMap, keep } = repair(smallGuild(), withNewGeneral());
    expect(steps).toEqual([]);
    expect(idMap.channels['301']).toBe('999');
    expect(keep).toBe(6);
  });

  test('is another one where there are several of either', () => {
    const target = withNewGeneral();
    target.channels.push(newChannel({ id: '998', kind: 'text', name: 'general' }));
    expect(repair(smallGuild(), target).idMap.channels['301']).toBeUndefined();
    const backup = smallGuild();
    backup.channels.push(newChannel({ id: '303', kind: 'text', name: 'general', position: 2 }));
    expect(repair(backup, withNewGeneral()).idMap.channels['301']).toBeUndefined();
  });

  test('is another one where it is of another kind or stands elsewhere', () => {
    expect(repair(smallGuild(), withNewGeneral({ kind: 'voice' })).idMap.channels).toEqual({
      '302': '302',
    });
    const target = withNewGeneral({ parentId: '400' });
    target.channels.push(newChannel({ id: '400', kind: 'category', name: 'Rooms' }));
    expect(repair(smallGuild(), target).idMap.channels['301']).toBeUndefined();
  });

  test('is another one where somebody would get into it who cannot see it now', () => {
    const hidden = repair(smallGuild(), withNewGeneral({ overwrites: [shut] }));
    expect(hidden.idMap.channels['301']).toBeUndefined();
    const created = actionsOf(hidden).filter((action) => action.do === 'createChannel');
    expect(created).toHaveLength(1);
    const target = smallGuild();
    const [general, staff] = target.channels;
    if (!general || !staff) throw new Error('The server has two channels');
    target.channels = [general, { ...staff, id: '999', overwrites: [shut] }];
    expect(repair(smallGuild(), target).idMap.channels['302']).toBeUndefined();
  });
});

test('a text channel of the backup that became an announcement channel is converted, another kind is made anew', () => {
  const community = () => {
    const guild = smallGuild();
    guild.settings.features = ['COMMUNITY'];
    Object.assign(guild.settings, { rulesChannelId: '301', publicUpdatesChannelId: '301' });
    return guild;
  };
  const target = community();
  const staff = target.channels[1];
  if (!staff) throw new Error('The server has two channels');
  staff.kind = 'announcement';
  expect(actionsOf(repair(community(), target))).toEqual([
    { do: 'editChannel', channel: { backup: '302' }, changes: { kind: 'text' } },
  ]);
  staff.kind = 'voice';
  const again = actionsOf(repair(community(), target)).map((action) => action.do);
  expect(again).toContain('createChannel');
  expect(again).not.toContain('editChannel');
});

test('an edit names each field by the platform’s name, as it is and as it was, permissions as whole lists', () => {
  const target = smallGuild();
  const member = target.roles[1];
  const [general] = target.channels;
  if (!member || !general) throw new Error('The server has a role and a channel');
  Object.assign(member, { isHoisted: true, permissions: permission.banMembers.toString() });
  Object.assign(general, { topic: 'owned', overwrites: [shut] });
  const backup = smallGuild();
  Object.assign(backup.roles[1] ?? {}, { permissions: see });
  const { updates, steps } = repair(backup, target);
  expect(updates).toEqual([
    {
      type: 'role',
      name: 'Member',
      changes: [
        { field: 'permissions', from: ['BAN_MEMBERS'], to: ['VIEW_CHANNEL'] },
        { field: 'hoist', from: true, to: false },
      ],
    },
    {
      type: 'channel',
      name: 'general',
      changes: [
        { field: 'topic', from: 'owned', to: null },
        {
          field: 'permission_overwrites',
          from: [
            { id: guildId, type: 'role', name: '@everyone', allow: [], deny: ['VIEW_CHANNEL'] },
          ],
          to: [],
        },
      ],
    },
  ]);
  expect(steps.map(({ stage }) => stage)).toEqual(['tighten', 'edit', 'finish']);
});

test('a role that is the same in name and permissions stays in another server where channels are not restored', () => {
  const target = { ...smallGuild(), guildId: '800' };
  target.roles = [
    newRole({ id: '800', name: '@everyone', permissions: see }),
    newRole({ id: '801', name: 'Member', position: 1 }),
    newRole({
      ...{ id: '802', name: 'Staff', position: 2 },
      permissions: permission.kickMembers.toString(),
    }),
    ...target.roles.slice(3),
  ];
  target.channels = [
    newChannel({
      ...{ id: '803', kind: 'text', name: 'office' },
      overwrites: [{ id: '802', kind: 'role', allow: see, deny: '0' }],
    }),
  ];
  const snapshot = snapshotOf(smallGuild());
  for (const mode of ['REPLACE', 'REPAIR'] as const) {
    const components = ['roles'] as const;
    const { steps } = planRestore({ snapshot, current: target, components, bot: BOT, mode });
    expect(steps).toEqual([]);
  }
});

test('the role of boosters is matched with the target’s own, and what channels say of it comes back', () => {
  const boosters = { name: 'Server Booster', isManaged: true, isOfBoosters: true as const };
  const backup = smallGuild();
  backup.roles.push(newRole({ ...boosters, id: '204', position: 4 }));
  const [general] = backup.channels;
  if (!general) throw new Error('The server has a channel');
  general.overwrites = [{ id: '204', kind: 'role', allow: see, deny: '0' }];
  const target = { ...smallGuild(), guildId: '800', channels: [] };
  target.roles = [
    newRole({ id: '800', name: '@everyone', permissions: see }),
    newRole({ ...boosters, id: '804', name: 'Boosts', position: 1 }),
    ...target.roles.slice(3),
  ];
  const { idMap, notes } = repair(backup, target);
  expect(idMap.roles['204']).toBe('804');
  expect(notes).toEqual([]);
});

test('a voice channel that the bot may not enter is neither edited nor deleted', () => {
  const connect = permission.connect.toString();
  const voice = newChannel({
    ...{ id: '303', kind: 'voice', name: 'Lounge', position: 0, bitrate: 64_000 },
    overwrites: [{ id: guildId, kind: 'role', allow: '0', deny: connect }],
  });
  const everything = BigInt.asUintN(53, -1n) & ~permission.administrator;
  const withBot = (fields: Partial<Channel>): TestGuild => {
    const target = smallGuild();
    for (const role of target.roles.slice(3)) role.permissions = everything.toString();
    return { ...target, channels: [...target.channels, { ...voice, ...fields }] };
  };
  const edited = repair(withBot({}), withBot({ name: 'Owned' }));
  expect(edited.steps).toEqual([]);
  expect(edited.losses).toEqual([{ type: 'channel', name: 'Lounge', code: 'channelNotEditable' }]);
  const extra = repair(smallGuild(), withBot({}), { deleteExtra: true });
  expect(extra.losses).toContainEqual({
    ...{ type: 'channel', name: 'Lounge', code: 'channelNotAccessible' },
  });
});

describe('emojis', () => {
  const wave = { id: '501', name: 'wave', isAnimated: false, isManaged: false, roleIds: [] };
  const withEmojis = (...ids: string[]): TestGuild => ({
    ...smallGuild(),
    emojis: ids.map((id) => ({ ...wave, id })),
  });

  test('of one name are the same only where their pictures are', () => {
    const target = { ...withEmojis('601'), pictureHashes: { '601': 'picture' } };
    expect(repair(withEmojis('501'), target).steps).toEqual([]);
    target.pictureHashes = { '601': 'another' };
    expect(actionsOf(repair(withEmojis('501'), target)).map((action) => action.do)).toEqual([
      'createEmoji',
    ]);
  });

  test('beyond the slots that the boosts of the target give are losses, not steps that fail', () => {
    const ids = Array.from({ length: 52 }, (_, index) => `5${100 + index}`);
    const target = { ...withEmojis(), premiumTier: 0 };
    const { steps, losses } = repair(withEmojis(...ids), target);
    expect(steps).toHaveLength(50);
    expect(losses).toEqual([{ type: 'emoji', name: 'wave', code: 'noSlot', of: 'emojis' }]);
    expect(repair(withEmojis(...ids), { ...target, premiumTier: 1 }).losses).toEqual([]);
  });
});

test('tags of a forum keep their ids, and the mark of a spoiler channel comes back', () => {
  const spoiler = 1 << 21;
  const tag = { id: '701', name: 'Question', isModerated: false, emojiId: null, emojiName: '❓' };
  const withForum = (fields: Partial<Channel>): TestGuild => {
    const guild = smallGuild();
    guild.settings.features = ['COMMUNITY'];
    Object.assign(guild.settings, { rulesChannelId: '301', publicUpdatesChannelId: '301' });
    const forum = newChannel({ id: '303', kind: 'forum', name: 'help', tags: [tag], ...fields });
    return { ...guild, channels: [...guild.channels, forum] };
  };
  const renamed = [{ ...tag, name: 'Owned' }];
  const [edit] = actionsOf(repair(withForum({ flags: spoiler }), withForum({ tags: renamed })));
  expect(edit).toMatchObject({ changes: { tags: [tag], flags: spoiler } });
});

test('a member keeps roles that the backup does not know, and gets the others as the backup has them', () => {
  const guest = { userId: '600', nick: null, isBot: false };
  const backup = { ...smallGuild(), members: [{ ...guest, roleIds: ['201'] }] };
  const target = { ...smallGuild(), members: [{ ...guest, roleIds: ['202', '900'] }] };
  target.roles.splice(1, 0, newRole({ id: '900', name: 'Quiz', position: 1 }));
  expect(actionsOf(repair(backup, target))).toEqual([
    { do: 'editMember', userId: '600', roles: [{ backup: '201' }, { present: '900' }] },
  ]);
});

test('bans that were made since the backup stay', () => {
  const target = { ...smallGuild(), bans: [{ userId: '500', reason: null }] };
  expect(repair(smallGuild(), target, { deleteExtra: true }).steps).toEqual([]);
});

test('a backup from before permissions of their own says that it lacks them', () => {
  const notesAt = (savedAt: string) =>
    repair(smallGuild(), smallGuild(), { savedAt: new Date(savedAt) }).notes;
  expect(notesAt('2026-01-10')).toEqual([
    {
      code: 'olderThanPermissions',
      permissions: ['CREATE_GUILD_EXPRESSIONS', 'CREATE_EVENTS', 'PIN_MESSAGES', 'BYPASS_SLOWMODE'],
    },
  ]);
  expect(notesAt('2026-03-10')).toEqual([]);
});
