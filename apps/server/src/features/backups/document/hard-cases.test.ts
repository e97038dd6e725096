import { expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { type CommunityDocument, parseDocument } from '@holdfast/contract';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  snapshotOf,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel } from '../../../../test/harness/guilds/parts.ts';
import {
  snapshotWithParts,
  wholeCommunity,
} from '../../../../test/harness/guilds/whole-community.ts';
import { planRestore } from '../../restores/plan/plan-restore.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { readDocument } from './read-document.ts';
import { documentSections } from './sections.ts';
import { hasCore, writeDocument } from './write-document.ts';

const documentOf = (snapshot: Snapshot): CommunityDocument => {
  if (!hasCore(snapshot)) throw new Error('The snapshot lacks a section');
  return writeDocument(snapshot, false);
};

const read = (document: CommunityDocument, base: Snapshot): Snapshot => {
  const result = readDocument(document, base);
  if ('issues' in result) throw new Error(result.issues.join('\n'));
  return result.snapshot;
};

test('the document of a whole community is valid, and changes nothing in it', () => {
  const guild = wholeCommunity();
  const saved = snapshotWithParts(guild);
  const document = documentOf(saved);
  const { emojis: _, stickers: __, ...others } = document;
  expect(parseDocument(others)).toEqual({ document: others });
  for (const part of ['automod', 'soundboard', 'onboarding', 'welcomeScreen'] as const) {
    expect(document[part]).not.toBeEmpty();
  }
  const { steps } = planRestore({
    ...{ snapshot: read(document, saved), current: guild, components: documentSections },
    ...{ bot: BOT, mode: 'REPAIR', deleteExtra: true },
  });
  expect(steps).toEqual([]);
  expect(documentOf(read(document, { guildId: '4000' }))).toEqual(document);
});

test('a server of 500 channels fits into one request', () => {
  const size = { channels: 500, roles: 200, exactly: true };
  const [guild] = fc.sample(arbitraryGuild(size), 1);
  if (!guild) throw new Error('There is no guild');
  const document = documentOf(snapshotOf(guild));
  expect(gzipSync(JSON.stringify(document)).toString('base64').length).toBeLessThan(240_000);
  expect(documentOf(read(document, { guildId: '4000' }))).toEqual(document);
});

const named = (names: string[]) =>
  names.map((name, position) =>
    newChannel({ id: String(position + 1), kind: 'text', name, position }),
  );

test('names of any kind refer to the right channel', () => {
  const names = ['a', 'a', 'a~2', 'a/b', 'a\\', '__proto__', 'id:7', '🦭', 'constructor', 'a'];
  const saved = snapshotWithParts(wholeCommunity());
  for (const [index, channel] of named(names).entries()) {
    const settings = saved.settings?.map((one) => ({ ...one, systemChannelId: channel.id }));
    const snapshot = { ...saved, settings, channels: named(names), welcomeScreen: [] };
    const document = documentOf({ ...snapshot, onboarding: [], automod: [] });
    const again = read(document, { guildId: '4000' });
    expect(again.settings?.[0]?.systemChannelId).toBe(again.channels?.[index]?.id ?? '');
  }
});

test('a channel that another category holds now is moved, and one with another name is another', () => {
  const saved = { ...snapshotWithParts(wholeCommunity()), channels: named(['deck', 'hall']) };
  const document = documentOf({ ...saved, welcomeScreen: [], onboarding: [], automod: [] });
  const [deck, hall] = document.channels;
  if (deck?.type !== 'TEXT' || !hall) throw new Error('These are text channels');
  const settings = { ...document.settings, systemChannel: undefined };
  const edited: CommunityDocument = {
    ...{ ...document, settings: { ...settings, rulesChannel: undefined } },
    channels: [
      { ...hall, name: 'lobby' },
      { type: 'CATEGORY', name: 'Ship', channels: [deck] },
    ],
  };
  edited.settings.publicUpdatesChannel = undefined;
  edited.settings.afkChannel = undefined;
  const { channels = [] } = read(edited, saved);
  expect(channels.find(({ name }) => name === 'deck')?.id).toBe('1');
  expect(channels.map(({ id }) => id)).not.toContain('2');
});

test('of more roles of one name than the document has, it means the oldest, wherever they stand', () => {
  const guild = wholeCommunity();
  const saved = snapshotWithParts(guild);
  const [first] =
    saved.roles?.filter(({ isManaged, id }) => !isManaged && id !== guild.guildId) ?? [];
  if (!first || !saved.roles) throw new Error('There is no role');
  const older = { ...first, id: '901', name: 'Twin' };
  const younger = { ...first, id: '902', name: 'Twin' };
  const document = documentOf({ ...saved, roles: [...saved.roles, older] });
  for (const [above, below] of [
    [older, younger],
    [younger, older],
  ] as const) {
    const twins = [
      { ...above, position: 2 },
      { ...below, position: 1 },
    ];
    const others = saved.roles.map((role) => ({ ...role, position: role.position + 2 }));
    const given = read(document, { ...saved, roles: [...others, ...twins] });
    const found = given.roles?.filter(({ name }) => name === 'Twin');
    expect(found?.map(({ id }) => id)).toEqual(['901']);
  }
});
