import { expect, test } from 'bun:test';
import { eventsOfDispatch } from './dispatches.ts';
import type { GuildEvent } from './events.ts';

const user = { id: '8', username: 'ann', bot: false, avatar: null };
const role = { id: '3', name: 'Crew', managed: true, permissions: '8', position: 2 };
const guild = {
  ...{ id: '1', name: 'Harbour', icon: null, owner_id: '2', member_count: 31 },
  ...{ channels: [{ id: '4', type: 0 }], roles: [role], members: [], large: false },
};
const face = { guildId: '1', name: 'Harbour', iconHash: null, ownerId: '2' };
const ourRole = { id: '3', isManaged: true, permissions: '8', position: 2 };

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
    [{ kind: 'channelChanged', guildId: '1', channelId: '4', parentId: null, position: null }],
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
        ...{
          username: 'ann',
          hasPicture: false,
          roleIds: ['3'],
          nick: 'Annie',
          joinedAt: '2026-01-02T03:04:05Z',
        },
      },
    ],
  ],
  [
    'GUILD_MEMBER_UPDATE',
    { guild_id: '1', user: { id: '8', bot: true }, roles: [] },
    [
      {
        ...{ kind: 'memberChanged', guildId: '1', userId: '8', isBot: true },
        ...{ username: null, hasPicture: true, roleIds: [], nick: null, joinedAt: null },
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
        ...{ executorId: '8', targetId: '4', changes: [], options: {}, reason: null },
      },
    ],
  ],
  [
    'GUILD_AUDIT_LOG_ENTRY_CREATE',
    { guild_id: '1', id: '9', action_type: 9999, user_id: null, target_id: null },
    [
      {
        ...{ kind: 'auditEntry', guildId: '1', entryId: '9', action: 'other' },
        ...{ executorId: null, targetId: null, changes: [], options: {}, reason: null },
      },
    ],
  ],
  ['MESSAGE_CREATE', { content: 'hello' }, []],
];

const entry = { guild_id: '1', id: '9', action_type: 14, user_id: '8', target_id: '4' };
const readEntry = (more: object) => {
  const [event] = eventsOfDispatch('GUILD_AUDIT_LOG_ENTRY_CREATE', { ...entry, ...more });
  if (event?.kind !== 'auditEntry') throw new Error('Not translated');
  return event;
};

test('an entry of the audit log tells what it changed, of whom and why', () => {
  const overwrite = readEntry({
    changes: [{ key: 'allow', old_value: '0', new_value: '8' }],
    options: { id: '3', type: '0', role_name: 'Crew' },
    reason: 'Shore leave',
  });
  expect(overwrite).toMatchObject({
    ...{ action: 'overwriteChanged', reason: 'Shore leave' },
    changes: [{ key: 'allow', before: '0', after: '8' }],
    options: { subjectId: '3', subjectKind: 'role' },
  });
  const prune = { action_type: 21, options: { delete_member_days: '7', members_removed: '12' } };
  expect(readEntry(prune)).toMatchObject({
    ...{ action: 'membersPruned', options: { membersRemoved: 12, inactiveDays: 7 } },
  });
  const roles = Array.from({ length: 250 }, (_, n) => ({ id: `${n}`, name: 'x'.repeat(400) }));
  expect(readEntry({ changes: [{ key: '$add', new_value: roles }] }).changes).toEqual([
    { key: '$add', before: null, after: roles.map(({ id }) => ({ id })) },
  ]);
});

test('an entry takes no more room than it is given, and nothing that cannot be stored', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  const { changes, options, reason } = readEntry({
    changes: [
      { key: 'topic', old_value: 'x'.repeat(1_000_000), new_value: '' },
      { key: 'name', old_value: 'a\0b\ud800', new_value: { '\0': ['\0'], deep } },
      { key: null, new_value: 1 },
      { key: 'x'.repeat(1000), new_value: 1 },
      ...Array.from({ length: 10_000 }, () => ({ key: 'name', new_value: 'x'.repeat(10_000) })),
    ],
    options: { count: 'many', channel_id: '../1', id: 5, type: {}, members_removed: '-1' },
    reason: 'because\0'.repeat(1000),
  });
  expect(JSON.stringify(changes).length).toBeLessThan(61_000);
  expect(JSON.stringify({ changes, reason })).not.toMatch(/\\u0000|\\ud800|"topic"/);
  expect(changes[0]?.before).toBe('ab\ufffd');
  expect(options).toEqual({});
  expect(reason).toHaveLength(512);
  for (const odd of [{ changes: 'all' }, { user_id: 'x' }, { id: '' }, { options: 'none' }]) {
    expect(() => readEntry(odd)).toThrow();
  }
});

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
