import { afterAll, describe, expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeHome, removeHomes } from '../../test/run-cli.ts';
import { readAssets, writeAssets } from './assets.ts';
import { compareDocuments } from './compare.ts';
import type { CommunityDocument } from './document.ts';
import { parseYaml, toYaml } from './yaml.ts';

afterAll(removeHomes);

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
    ['anchors', 'a: &x [1]\nb: *x', 'a.yaml:1 Anchors'],
    ['tags', 'a: 1\nb: !!binary aGk=', 'a.yaml:2 Tags'],
    ['keys that are given twice', 'a: 1\nb: 2\na: 3', 'a.yaml:3'],
    ['what is no YAML', 'a: [1', 'a.yaml:1'],
    ['several documents', 'a: 1\n---\nb: 2', 'a.yaml:2'],
    ['what is nested without end', '['.repeat(200_000), 'a.yaml'],
    ['what is too large', 'x'.repeat(5 * 1024 * 1024), 'larger than 4 MiB'],
  ];
  test.each(refused)('refuses %s, with the line', async (_, text, message) => {
    await expect(parseYaml(text, 'a.yaml')).rejects.toThrow(message);
  });

  test('knows the line of a place, or of what is around it', async () => {
    const { lineOf } = await parseYaml('a: 1\nlist:\n  - name: x\n  - name: y\n', 'a.yaml');
    expect([lineOf('list[1].name'), lineOf('list[1].color'), lineOf('b')]).toEqual([
      4,
      4,
      undefined,
    ]);
  });
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
});

describe('a comparison', () => {
  const changesOf = (change: (document: CommunityDocument) => void) => {
    const document = harbour();
    change(document);
    return compareDocuments(harbour(), document).changes;
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
    const file = harbour();
    const isFile = (one: CommunityDocument) => one === file;
    expect(compareDocuments(file, live, isFile).changes).toEqual([]);
    expect(compareDocuments(harbour(), live).changes).toMatchObject([
      { section: 'onboarding', fields: [{ field: 'enabled', from: false, to: true }] },
    ]);
  });

  test('does not mind the roles of bots, and says so', () => {
    const bot = { ...harbour(), roles: [{ name: 'Bot', managed: true }, ...harbour().roles] };
    const { changes, notes } = compareDocuments(harbour(), bot);
    expect(changes).toEqual([]);
    expect(notes.join()).toContain('Role Bot');
  });
});
