import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { arbitraryGuild, snapshotOf } from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../../../../test/harness/guilds/parts.ts';
import { guildId, see, shut, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { dangerous, without } from '../../../platform/permissions.ts';
import { testRestore } from '../../restores/verify/test-restore.ts';
import { stripSnapshot } from './strip-snapshot.ts';

/** Every string in it, at any depth. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
};

describe('any snapshot', () => {
  const snapshot = arbitraryGuild({ channels: 12, roles: 6 }).map(snapshotOf);

  test('gives settings, roles, channels and emojis, and nothing else', () => {
    fc.assert(
      fc.property(snapshot, (backup) => {
        const parts = Object.keys(stripSnapshot(backup)).sort();
        expect(parts).toEqual(['channels', 'emojis', 'guildId', 'roles', 'settings']);
      }),
    );
  });

  test('contains no id and no person of the guild', () => {
    fc.assert(
      fc.property(snapshot, (backup) => {
        const { guildId: ownId, roles, channels, emojis, bans, memberRoles } = backup;
        const things = [...(roles ?? []), ...(channels ?? []), ...(emojis ?? [])];
        const people = [...(bans ?? []), ...(memberRoles ?? [])];
        const ids = [ownId, ...things.map(({ id }) => id), ...people.map(({ userId }) => userId)];
        const left = new Set(textsIn(stripSnapshot(backup)));
        expect(ids.filter((id) => left.has(id))).toEqual([]);
        expect(JSON.stringify(stripSnapshot(backup))).not.toMatch(/\d{15}/);
      }),
    );
  });

  test('gives a restorable template if it is restorable itself', async () => {
    await fc.assert(
      fc.asyncProperty(snapshot, async (backup) => {
        fc.pre((await testRestore(backup)).restorable);
        const { restorable, differences } = await testRestore(stripSnapshot(backup));
        expect({ restorable, differences }).toEqual({ restorable: true, differences: [] });
      }),
      { numRuns: 60 },
    );
  });

  test('gives the same template every time', () => {
    fc.assert(
      fc.property(snapshot, (backup) => {
        expect(stripSnapshot(structuredClone(backup))).toEqual(stripSnapshot(backup));
      }),
    );
  });
});

describe('a small guild', () => {
  const strip = (changes: object = {}) =>
    stripSnapshot(snapshotOf({ ...smallGuild(), ...changes }));

  test('keeps its layout: names, permissions and visibility', () => {
    const { roles, channels } = strip();
    expect(roles.map(({ id, name }) => [id, name])).toEqual([
      ['1', '@everyone'],
      ['2', 'Member'],
      ['3', 'Staff'],
    ]);
    expect(channels.map(({ id, name, overwrites }) => [id, name, overwrites])).toEqual([
      ['4', 'general', []],
      [
        '5',
        'staff',
        [
          { id: '1', kind: 'role', allow: '0', deny: see },
          { id: '3', kind: 'role', allow: see, deny: '0' },
        ],
      ],
    ]);
  });

  test('loses the permissions of people and bots', () => {
    const given = { allow: see, deny: '0' };
    const overwrites = [
      shut,
      { id: '7700', kind: 'role' as const, ...given },
      { id: '123456789012345678', kind: 'member' as const, ...given },
    ];
    const channels = [newChannel({ id: '301', kind: 'text', name: 'den', overwrites })];
    expect(strip({ channels }).channels[0]?.overwrites).toEqual([
      { id: '1', kind: 'role', allow: '0', deny: see },
    ]);
  });

  test('gives no power, by no role and by no overwrite, and denies what it denied', () => {
    const all = String((1n << 53n) - 1n);
    const roles = [newRole({ id: guildId, name: '@everyone', permissions: all })];
    const overwrites = [{ id: guildId, kind: 'role' as const, allow: all, deny: all }];
    const channels = [newChannel({ id: '301', kind: 'text', name: 'den', overwrites })];
    const stripped = strip({ roles, channels });
    const harmless = String(without(BigInt(all), dangerous));
    expect(stripped.roles.map(({ permissions }) => permissions)).toEqual([harmless]);
    expect(stripped.channels[0]?.overwrites).toEqual([
      { id: '1', kind: 'role', allow: harmless, deny: all },
    ]);
  });

  test('loses the roles of bots and the icons of roles', () => {
    const roles = [
      newRole({ id: guildId, name: '@everyone' }),
      newRole({ id: '201', name: 'Crew', position: 1, iconHash: 'a1b2' }),
      newRole({ id: '7700', name: 'SomeBot', position: 2, isManaged: true, botId: '55' }),
    ];
    const stripped = strip({ roles }).roles;
    expect(stripped.map(({ name, iconHash, botId }) => [name, iconHash, botId])).toEqual([
      ['@everyone', null, null],
      ['Crew', null, null],
    ]);
  });

  test.each([
    ['<#301> first', '#general first'],
    ['ask <@&202>!!', 'ask @Staff!!'],
    ['ask <@&7700> of ours', 'ask @role of ours'],
    ['led by <@123456789012345678>, <@!1>', 'led by @someone, @someone'],
    ['<a:party:123456789012345678>', ':party:'],
    ['discord.com/channels/123456789012345678/9', 'discord.com/channels/000/9'],
    ['rule 34, since 2015', 'rule 34, since 2015'],
  ])('a topic with %s becomes %s', (topic, words) => {
    const channels = [newChannel({ id: '301', kind: 'text', name: 'general', topic })];
    expect(strip({ channels }).channels[0]?.topic).toBe(words);
  });

  test('a scrubbed topic is not longer than before', () => {
    const named = { kind: 'text', name: 'x'.repeat(100) } as const;
    const topic = '<#123456789012345678>'.repeat(10);
    const channels = [newChannel({ id: '123456789012345678', ...named, topic })];
    expect(strip({ channels }).channels[0]?.topic).toHaveLength(topic.length);
  });

  test('a picture is identified by its bytes only', () => {
    const backup = snapshotOf(smallGuild());
    const [settings] = backup.settings ?? [];
    if (!settings) throw new Error('No settings');
    const icon = { hash: 'abc', contentType: 'image/png' };
    const pictures = { ...settings.pictures, icon };
    const shown = { ...settings, iconHash: 'a_platform', bannerHash: 'lost', pictures };
    const [stripped] = stripSnapshot({ ...backup, settings: [shown] }).settings ?? [];
    expect(stripped).toMatchObject({ iconHash: 'abc', bannerHash: null, pictures: { icon } });
  });
});
