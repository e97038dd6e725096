import { afterAll, describe, expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { makeHome, removeHomes } from '../../test/run-cli.ts';
import { CommandError } from '../exit-codes.ts';
import { createStyle } from '../output/style.ts';
import { readAssets, writeAssets } from './assets.ts';
import { readCommunityFile } from './community-file.ts';
import { compareDocuments } from './compare.ts';
import type { CommunityDocument } from './document.ts';
import { formatChanges } from './format-changes.ts';
import { decodeText, parseYaml, toYaml } from './yaml.ts';

afterAll(removeHomes);

const style = createStyle(false);

const harbour = (): CommunityDocument => ({
  version: 1,
  settings: {
    ...{ name: 'Harbour', preferredLocale: 'en-US', afkTimeoutSeconds: 300 },
    ...{ verificationLevel: 'LOW', explicitContentFilter: 'DISABLED' },
    defaultMessageNotifications: 'ONLY_MENTIONS',
  },
  roles: [{ name: 'Crew 🦭', permissions: ['KICK_MEMBERS'] }, { name: '@everyone' }],
  channels: [
    { type: 'TEXT', name: 'deck' },
    {
      type: 'CATEGORY',
      name: 'A/B',
      channels: [
        { type: 'TEXT', name: 'general' },
        { type: 'TEXT', name: 'general', topic: 'yes: "no" # 1\n- x' },
        { type: 'VOICE', name: 'Radio' },
      ],
    },
  ],
  emojis: [{ name: 'wave', image: `${'ab'.repeat(32)}.png` }],
});

describe('YAML', () => {
  test('is read back as it was written, whatever the names are', async () => {
    const document = harbour();
    document.roles[0] = { name: 'yes', permissions: [] };
    for (const name of [
      'null',
      '1e3',
      '- x',
      '*a',
      '&a',
      '!t',
      '~',
      'a: b',
      '"',
      "'",
      '#x',
      ' ',
      '',
    ]) {
      document.roles.unshift({ name });
    }
    const text = await toYaml(document, ['Head']);
    expect(text).toStartWith('# Head\n\nversion: 1\n');
    expect((await parseYaml(text, 'a.yaml')).value).toEqual(document);
  });

  const refused: [string, string, string][] = [
    ['anchors', 'a: &x [1]\nb: *x', 'a.yaml:1:7: Anchors'],
    ['tags', 'a: 1\nb: !!binary aGk=', 'a.yaml:2:13: Tags'],
    ['keys that are given twice', 'a: 1\nb: 2\na: 3', 'a.yaml:3:1: '],
    ['what is no YAML', 'a: [1', 'a.yaml:1:6: '],
    ['several documents', 'a: 1\n---\nb: 2', 'a.yaml:2:1: '],
    ['what is nested without end', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'a.yaml'],
  ];
  test.each(refused)('refuses %s, with the place', async (_, text, message) => {
    await expect(parseYaml(text, 'a.yaml')).rejects.toThrow(message);
  });

  test('is UTF-8, with or without a mark, with any line breaks', async () => {
    const text = '\ufeffa: ü\r\nb: |\r\n  one\r\n  two\r\n';
    const decoded = decodeText(new TextEncoder().encode(text), 'a.yaml');
    expect((await parseYaml(decoded, 'a.yaml')).value).toEqual({ a: 'ü', b: 'one\ntwo\n' });
    const latin = Buffer.from('a: 1\nb: \xe4\n', 'latin1');
    expect(() => decodeText(latin, 'a.yaml')).toThrow('a.yaml:2: This is not UTF-8');
    expect(() => decodeText(Buffer.alloc(5 * 1024 * 1024), 'a.yaml')).toThrow('4 MiB');
  });

  test('knows the place of a value, of a key, or of what is around it', async () => {
    const { placeOf } = await parseYaml('a: 1\nlist:\n  - name: x\n  - name: y\n', 'a.yaml');
    const path = ['list', 1, 'name'];
    expect(placeOf({ path })).toBe('4:11');
    expect(placeOf({ path, isOfKey: true })).toBe('4:5');
    expect(placeOf({ path: ['list', 1, 'color'] })).toBe('4:5');
    expect(placeOf({ path: ['b'] })).toBe('1:1');
  });
});

describe('a file', () => {
  const mistakesIn = async (change: (text: string) => string) => {
    const file = join(makeHome(), 'a.yaml');
    const text = await toYaml({ ...harbour(), emojis: [{ name: 'wave' }] }, ['Head']);
    await writeFile(file, change(text));
    const failure = await readCommunityFile(process, file).catch((error: unknown) => error);
    if (!(failure instanceof CommandError)) throw new Error('It was taken');
    return [failure.message, ...failure.hints].map((line) => line.replaceAll(file, 'a.yaml'));
  };

  const mistakes: [string, [string, string], string][] = [
    ['another version', ['version: 1', 'version: 2'], 'a.yaml:3:10: version: Must be 1'],
    ['no version', ['version: 1\n', ''], '"version" is missing'],
    [
      'an unknown key',
      ['preferredLocale', 'colour: 1\n  preferredLocale'],
      'a.yaml:6:3: settings.colour: There is no such key here',
    ],
    [
      'a name that YAML takes for a number',
      ['name: deck', 'name: 1e3'],
      'channels[0].name: Must be text: put 1000 in quotes',
    ],
    [
      'a wrong type in a channel, by its path',
      ['type: VOICE', 'type: VOICES'],
      'channel A\\/B/Radio: type: Must be one of TEXT, ANNOUNCEMENT, VOICE, STAGE, FORUM, MEDIA',
    ],
    [
      'a wrong type of a thing without a category',
      ['name: deck', 'name: deck\n    slowModeSeconds: soon'],
      'channel deck: slowModeSeconds: Must be a number',
    ],
    [
      'no list of roles',
      ['permissions:', 'permissionz:'],
      'role Crew 🦭: permissionz: There is no',
    ],
    ['a word that is none', ['LOW', 'LOWER'], 'Must be one of NONE, LOW, MEDIUM, HIGH, VERY_HIGH'],
  ];
  test.each(mistakes)('with %s is refused before anything is asked', async (_, [was, is], told) => {
    const lines = await mistakesIn((text) => text.replace(was, is));
    expect(lines.join('\n')).toContain(told);
  });
});

test('names that the platform writes otherwise are told', async () => {
  const file = join(makeHome(), 'a.yaml');
  const channels = (['TEXT', 'VOICE'] as const).map((type) => ({ type, name: 'General Chat' }));
  await writeFile(file, await toYaml({ ...harbour(), emojis: [], channels }, ['Head']));
  const { warnings } = await readCommunityFile(process, file);
  expect(warnings).toEqual([
    `${file}: channel General Chat: the platform makes its name general-chat; write it so in the file too`,
  ]);
});

describe('images', () => {
  test('come back from their folder under the same hash', async () => {
    const file = join(makeHome(), 'a.yaml');
    const bytes = new Uint8Array([1, 2, 3]);
    const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    const document = { ...harbour(), emojis: [{ name: '../wave', image: `${hash}.png` }] };
    const written = await writeAssets(file, document, new Map([[`${hash}.png`, bytes]]));
    expect(written.emojis?.[0]?.image).toBe(`emoji-wave-image-${hash.slice(0, 8)}.png`);
    expect((await readAssets(file, written)).document).toEqual(document);
  });

  const outside = [
    '../secret.png',
    '/etc/passwd.png',
    'a/../../b.png',
    '..png',
    'link.png',
    'x.sh',
  ];
  test.each(outside)('%s is refused', async (image) => {
    const folder = makeHome();
    const file = join(folder, 'a.yaml');
    await writeFile(join(folder, 'secret.png'), 'secret');
    await mkdir(`${file}.assets`);
    symlinkSync(join(folder, 'secret.png'), join(`${file}.assets`, 'link.png'));
    const document = { ...harbour(), emojis: [{ name: 'wave', image }] };
    await expect(readAssets(file, document)).rejects.toThrow();
  });

  test('that cannot be looked at are not taken for those that the service has', async () => {
    const file = join(makeHome(), 'a.yaml');
    expect((await readAssets(file, harbour())).images).toBeEmpty();
    // A file where the folder belongs: also root cannot look into it.
    await writeFile(`${file}.assets`, '');
    await expect(readAssets(file, harbour())).rejects.toThrow('cannot be read');
  });
});

describe('a comparison', () => {
  const compare = (from: CommunityDocument, to: CommunityDocument) =>
    compareDocuments({ document: from }, { document: to });
  const changesOf = (change: (document: CommunityDocument) => void) => {
    const document = harbour();
    change(document);
    return compare(harbour(), document).changes;
  };

  test('finds nothing in the same document, said in another way', () => {
    const said = changesOf((document) => {
      document.roles[0] = {
        ...document.roles[0],
        name: 'Crew 🦭',
        hoisted: false,
        color: undefined,
      };
      document.channels[0] = { type: 'TEXT', name: 'deck', slowModeSeconds: 0, overwrites: [] };
      document.channels.reverse();
    });
    expect(said).toEqual([]);
  });

  test('tells what is added, removed, changed, moved and in another order', () => {
    expect(changesOf(({ roles }) => roles.unshift({ name: 'Captain' }))).toEqual([
      { section: 'roles', name: 'Captain', kind: 'added' },
    ]);
    expect(changesOf(({ channels }) => channels.shift())).toEqual([
      { section: 'channels', name: 'deck', kind: 'removed' },
    ]);
    const moved = changesOf(({ channels }) => {
      const deck = channels.shift();
      const [category] = channels;
      if (category?.type === 'CATEGORY' && deck?.type === 'TEXT') category.channels?.push(deck);
    });
    expect(moved).toEqual([
      {
        ...{ section: 'channels', name: 'A\\/B/deck', kind: 'changed' },
        fields: [{ field: 'category', from: null, to: 'A\\/B' }],
      },
    ]);
    expect(changesOf(({ roles }) => roles.reverse())).toMatchObject([
      { section: 'roles', kind: 'reordered' },
    ]);
  });

  test('leaves alone what a file leaves out, and takes what a server lacks for switched off', () => {
    const onboarding = { enabled: true, mode: 'DEFAULT' as const, prompts: [] };
    const live = { ...harbour(), onboarding };
    const file = { document: harbour(), isFile: true };
    expect(compareDocuments(file, { document: live }).changes).toEqual([]);
    expect(compare(harbour(), live).changes).toMatchObject([
      { section: 'onboarding', fields: [{ field: 'enabled', from: false, to: true }] },
    ]);
  });

  test('does not mind the roles of bots, and says so', () => {
    const bot = { ...harbour(), roles: [{ name: 'Bot', managed: true }, ...harbour().roles] };
    const { changes, notes } = compare(harbour(), bot);
    expect(changes).toEqual([]);
    expect(notes.join()).toContain('Role Bot');
  });

  test('takes what could not be read neither for empty nor for the same', () => {
    const file = { document: { ...harbour(), automod: [] }, isFile: true };
    const rule = { name: 'Links', event: 1, trigger: 1, actions: [], enabled: true };
    const full = { document: { ...harbour(), automod: [rule] }, isFile: true };
    const live = { document: harbour(), unread: ['automod', 'welcomeScreen'] };
    for (const one of [file, full]) {
      expect(compareDocuments(one, live)).toMatchObject({ changes: [], unread: ['automod'] });
      expect(compareDocuments(live, one)).toMatchObject({ changes: [], unread: ['automod'] });
    }
    const shown = formatChanges(compareDocuments(full, live), { style, columns: 80 });
    expect(shown).toContain('? automod: not read');
    expect(shown).toContain('No differences in what could be read.');
  });

  test('tells an emoji with another name and the same picture as renamed', () => {
    const renamed = changesOf(({ emojis }) => {
      if (emojis?.[0]) emojis[0].name = 'waving';
    });
    expect(renamed).toEqual([
      {
        ...{ section: 'emojis', name: 'waving', kind: 'changed' },
        fields: [{ field: 'name', from: 'wave', to: 'waving' }],
      },
    ]);
  });

  test('fits into 40 columns', () => {
    const document = harbour();
    document.roles[0] = { name: 'Crew 🦭', permissions: ['BAN_MEMBERS', 'MANAGE_GUILD'] };
    document.channels[0] = { type: 'TEXT', name: 'deck', topic: 'word '.repeat(50) };
    document.roles.unshift({ name: 'long '.repeat(20) });
    const text = formatChanges(compare(harbour(), document), { style, columns: 40 });
    expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(40);
    expect(text).toContain('+ BAN_MEMBERS, MANAGE_GUILD');
  });
});
