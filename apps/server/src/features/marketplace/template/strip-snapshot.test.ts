import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { arbitraryGuild, snapshotOf } from '../../../../test/guild-arbitraries.ts';
import { newChannel, newRole } from '../../../../test/guild-parts.ts';
import { guildId, see, server, shut } from '../../../../test/small-server.ts';
import { drill } from '../../restores/drill.ts';
import { stripSnapshot } from './strip-snapshot.ts';

/** Every text in it, wherever it stands. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
};

describe('of any server', () => {
  const snapshot = arbitraryGuild({ channels: 12, roles: 6 }).map(snapshotOf);

  test('a template has settings, roles, channels and emojis, and nothing else', () => {
    fc.assert(
      fc.property(snapshot, (backup) => {
        const parts = Object.keys(stripSnapshot(backup)).sort();
        expect(parts).toEqual(['channels', 'emojis', 'guildId', 'roles', 'settings']);
      }),
    );
  });

  test('no id of it is left, and nobody who was in it', () => {
    fc.assert(
      fc.property(snapshot, (backup) => {
        const { guildId: ownId, roles, channels, emojis, bans, memberRoles } = backup;
        const things = [...(roles ?? []), ...(channels ?? []), ...(emojis ?? [])];
        const people = [...(bans ?? []), ...(memberRoles ?? [])];
        const known = [ownId, ...things.map(({ id }) => id), ...people.map(({ userId }) => userId)];
        const left = new Set(textsIn(stripSnapshot(backup)));
        expect(known.filter((id) => left.has(id))).toEqual([]);
        expect(JSON.stringify(stripSnapshot(backup))).not.toMatch(/\d{15}/);
      }),
    );
  });

  test('that can be restored, the template can be', async () => {
    await fc.assert(
      fc.asyncProperty(snapshot, async (backup) => {
        fc.pre((await drill(backup)).restorable);
        const { restorable, differences } = await drill(stripSnapshot(backup));
        expect({ restorable, differences }).toEqual({ restorable: true, differences: [] });
      }),
      { numRuns: 60 },
    );
  });

  test('the same gives the same', () => {
    fc.assert(
      fc.property(snapshot, (backup) => {
        expect(stripSnapshot(structuredClone(backup))).toEqual(stripSnapshot(backup));
      }),
    );
  });
});

describe('of a small server', () => {
  const strip = (changes: object = {}) => stripSnapshot(snapshotOf({ ...server(), ...changes }));

  test('the layout stays: names, permissions, who sees what', () => {
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

  test('what was given to a person, or to a bot, is given to nobody', () => {
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

  test('a bot’s role is not in it, and of a role with a picture the picture is not', () => {
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
  ])('a topic that says %s then says %s', (topic, words) => {
    const channels = [newChannel({ id: '301', kind: 'text', name: 'general', topic })];
    expect(strip({ channels }).channels[0]?.topic).toBe(words);
  });

  test('a topic gets no longer by it', () => {
    const named = { kind: 'text', name: 'x'.repeat(100) } as const;
    const topic = '<#123456789012345678>'.repeat(10);
    const channels = [newChannel({ id: '123456789012345678', ...named, topic })];
    expect(strip({ channels }).channels[0]?.topic).toHaveLength(topic.length);
  });

  test('a picture is known by its bytes alone', () => {
    const backup = snapshotOf(server());
    const [settings] = backup.settings ?? [];
    if (!settings) throw new Error('No settings');
    const icon = { hash: 'abc', contentType: 'image/png' };
    const pictures = { ...settings.pictures, icon };
    const shown = { ...settings, iconHash: 'a_platform', bannerHash: 'lost', pictures };
    const [stripped] = stripSnapshot({ ...backup, settings: [shown] }).settings ?? [];
    expect(stripped).toMatchObject({ iconHash: 'abc', bannerHash: null, pictures: { icon } });
  });
});
