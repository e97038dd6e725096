import { expect, test } from 'bun:test';
import { eventsOfDispatch } from './dispatches.ts';
import type { GuildEvent } from './events.ts';

const user = { id: '8', username: 'ann', bot: false };
const role = { id: '3', name: 'Crew', managed: true, permissions: '8' };
const guild = {
  ...{ id: '1', name: 'Harbour', icon: null, owner_id: '2', member_count: 31 },
  ...{ channels: [{ id: '4', type: 0 }], roles: [role], members: [], large: false },
};
const face = { guildId: '1', name: 'Harbour', iconHash: null, ownerId: '2' };
const ourRole = { id: '3', isManaged: true, permissions: '8' };

const translations: [string, object, GuildEvent[]][] = [
  [
    'GUILD_CREATE',
    guild,
    [{ kind: 'guildAvailable', ...face, memberCount: 31, channelIds: ['4'], roles: [ourRole] }],
  ],
  ['GUILD_CREATE', { id: '1', unavailable: true }, []],
  ['GUILD_UPDATE', { ...guild, icon: 'a_1' }, [{ kind: 'guildChanged', ...face, iconHash: 'a_1' }]],
  ['GUILD_DELETE', { id: '1' }, [{ kind: 'guildGone', guildId: '1' }]],
  ['GUILD_DELETE', { id: '1', unavailable: true }, []],
  [
    'CHANNEL_CREATE',
    { id: '4', guild_id: '1' },
    [{ kind: 'channelCreated', guildId: '1', channelId: '4' }],
  ],
  [
    'CHANNEL_UPDATE',
    { id: '4', guild_id: '1' },
    [{ kind: 'channelChanged', guildId: '1', channelId: '4' }],
  ],
  [
    'CHANNEL_DELETE',
    { id: '4', guild_id: '1' },
    [{ kind: 'channelDeleted', guildId: '1', channelId: '4' }],
  ],
  [
    'GUILD_ROLE_CREATE',
    { guild_id: '1', role },
    [{ kind: 'roleCreated', guildId: '1', role: ourRole }],
  ],
  [
    'GUILD_ROLE_UPDATE',
    { guild_id: '1', role },
    [{ kind: 'roleChanged', guildId: '1', role: ourRole }],
  ],
  [
    'GUILD_ROLE_DELETE',
    { guild_id: '1', role_id: '3' },
    [{ kind: 'roleDeleted', guildId: '1', roleId: '3' }],
  ],
  [
    'GUILD_MEMBER_ADD',
    { guild_id: '1', user, roles: ['3'], nick: 'Annie', joined_at: '2026-01-02T03:04:05Z' },
    [
      {
        ...{ kind: 'memberJoined', guildId: '1', userId: '8', isBot: false },
        ...{ roleIds: ['3'], nick: 'Annie', joinedAt: '2026-01-02T03:04:05Z' },
      },
    ],
  ],
  [
    'GUILD_MEMBER_UPDATE',
    { guild_id: '1', user: { ...user, bot: true }, roles: [] },
    [
      {
        ...{ kind: 'memberChanged', guildId: '1', userId: '8', isBot: true },
        ...{ roleIds: [], nick: null, joinedAt: null },
      },
    ],
  ],
  [
    'GUILD_MEMBER_REMOVE',
    { guild_id: '1', user },
    [{ kind: 'memberLeft', guildId: '1', userId: '8' }],
  ],
  [
    'GUILD_AUDIT_LOG_ENTRY_CREATE',
    { guild_id: '1', id: '9', action_type: 12, user_id: '8', target_id: '4' },
    [
      {
        ...{ kind: 'auditEntry', guildId: '1', entryId: '9', action: 'channelDeleted' },
        ...{ executorId: '8', targetId: '4' },
      },
    ],
  ],
  [
    'GUILD_AUDIT_LOG_ENTRY_CREATE',
    { guild_id: '1', id: '9', action_type: 9999, user_id: null, target_id: null },
    [
      {
        ...{ kind: 'auditEntry', guildId: '1', entryId: '9', action: 'other' },
        ...{ executorId: null, targetId: null },
      },
    ],
  ],
  ['MESSAGE_CREATE', { content: 'hello' }, []],
];

test.each(translations)('%s is translated', (type, data, events) => {
  expect(eventsOfDispatch(type, data)).toEqual(events);
});

test('what is not as documented is refused, not guessed', () => {
  for (const data of [
    { ...guild, id: 'x' },
    { ...guild, roles: null },
    { ...guild, name: 5 },
  ]) {
    expect(() => eventsOfDispatch('GUILD_CREATE', data)).toThrow();
  }
});

test('a name or icon of another form costs nothing else that is known of the guild', () => {
  const data = {
    ...guild,
    name: `a\0b${'x'.repeat(100_000)}`,
    icon: '../../icons',
    member_count: 2 ** 40,
  };
  const [event] = eventsOfDispatch('GUILD_CREATE', data);
  expect(event).toEqual({
    ...{ kind: 'guildAvailable', ...face, name: `ab${'x'.repeat(97)}`, iconHash: null },
    ...{ memberCount: 2 ** 31 - 1, channelIds: ['4'], roles: [ourRole] },
  });
});
