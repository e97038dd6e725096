import type { CommunityDocument } from '@holdfast/contract';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { Channel } from '../../../platform/guild.ts';
import { treeOf } from '../contents/channel-tree.ts';
import type { SectionEntry, Snapshot } from '../snapshot/snapshot.ts';
import { channelPaths, type DocumentChannel, treeOfDocument } from './names.ts';
import { rolesInOrder } from './references.ts';

/**
 * Which thing of the base each thing of a document is: then it has that thing's id, so that a repair edits
 * it rather than making another. Everything else gets an id of its own.
 */

/** By the entry of the document. */
type Identities<Given extends object, Known> = Map<Given, { id: string; known: Known | undefined }>;

/** A way to tell what is the same: undefined says nothing. */
type Key<Given, Known> = {
  given(one: Given): string | undefined;
  known(one: Known): string | undefined;
};

/**
 * Pairs by one key after the other. Of several with one key, each is paired in the order of both lists; where
 * more are known than are given, the oldest are meant. Their age is what a repair does not change: another
 * choice the next time would change them back and forth.
 */
const pairBy = <Given extends object, Known extends { id: string }>(
  given: readonly Given[],
  known: readonly Known[],
  keys: readonly (Key<Given, Known> & { isUniqueOnly?: boolean })[],
): Map<Given, Known> => {
  const pairs = new Map<Given, Known>();
  const taken = new Set<Known>();
  for (const { given: keyOfGiven, known: keyOfKnown, isUniqueOnly } of keys) {
    const open = Map.groupBy(
      known.filter((one) => !taken.has(one)),
      keyOfKnown,
    );
    const waiting = Map.groupBy(
      given.filter((one) => !pairs.has(one)),
      keyOfGiven,
    );
    for (const [key, some] of waiting) {
      const found = key === undefined ? [] : (open.get(key) ?? []);
      if (isUniqueOnly && (some.length !== 1 || found.length !== 1)) continue;
      const meant = oldestOf(found, some.length);
      for (const [index, one] of some.entries()) {
        const match = meant[index];
        if (!match) break;
        pairs.set(one, match);
        taken.add(match);
      }
    }
  }
  return pairs;
};

/** So many of them, in the order that they have. */
const oldestOf = <Thing extends { id: string }>(things: Thing[], count: number): Thing[] => {
  if (things.length <= count) return things;
  const byAge = things.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
  const oldest = new Set(byAge.slice(0, count));
  return things.filter((one) => oldest.has(one));
};

/**
 * No id of the platform is that large for decades. The same name always gives the same one, so that what a
 * restore has made of it is known to the next; of one name the first has the lowest.
 */
const ownId = (guildId: string, sort: string, name: string, number: number): string => {
  const hash = sha256Hex(JSON.stringify([guildId, sort, name])).slice(0, 13);
  return ((1n << 63n) + (BigInt(`0x${hash}`) << 10n) + BigInt(number)).toString();
};

const identify = <Given extends object, Known extends { id: string }>(
  guildId: string,
  sort: string,
  given: readonly { entry: Given; name: string }[],
  pairs: Map<Given, Known>,
): Identities<Given, Known> => {
  const seen = new Map<string, number>();
  return new Map(
    given.map(({ entry, name }) => {
      const number = (seen.get(name) ?? 0) + 1;
      seen.set(name, number);
      const known = pairs.get(entry);
      const id = known?.id ?? ownId(guildId, sort, name, number);
      return [entry, { id, known }];
    }),
  );
};

type DocumentRole = CommunityDocument['roles'][number];

/** The last role of a document is everyone's. */
export const identifyRoles = (
  { guildId, roles = [] }: Snapshot,
  given: readonly DocumentRole[],
): Identities<DocumentRole, SectionEntry<'roles'>> => {
  const known = rolesInOrder(roles, guildId).filter(({ id }) => id !== guildId);
  const others = given.slice(0, -1);
  const pairs = pairBy(others, known, [
    {
      given: ({ name, managed = false }) => `${managed} ${name}`,
      known: ({ name, isManaged }) => `${isManaged} ${name}`,
    },
  ]);
  const identities = identify(
    guildId,
    'role',
    others.map((entry) => ({ entry, name: entry.name })),
    pairs,
  );
  const everyone = given.at(-1);
  if (everyone) {
    identities.set(everyone, { id: guildId, known: roles.find(({ id }) => id === guildId) });
  }
  return identities;
};

/** A text channel can become one of announcements; any other type is another channel. */
const typeGroup = (type: string): string => (type === 'ANNOUNCEMENT' ? 'TEXT' : type);

/** By category and name, and by name alone where that is the only one: then it was moved. */
export const identifyChannels = (
  { guildId, channels = [] }: Snapshot,
  given: CommunityDocument['channels'],
): Identities<DocumentChannel, Channel> => {
  const known = treeOf(channels).flatMap(({ thing, children }) => [thing, ...children]);
  const paths = channelPaths(treeOfDocument(given));
  const parentOf = new Map(paths.map(({ thing, parent }) => [thing, parent]));
  const all = paths.map(({ thing }) => thing);
  const isCategory = ({ type }: DocumentChannel) => type === 'CATEGORY';
  const categories = pairBy(
    all.filter(isCategory),
    known.filter(({ kind }) => kind === 'category'),
    [{ given: ({ name }) => name, known: ({ name }) => name }],
  );
  const parentId = (one: DocumentChannel) => {
    const parent = parentOf.get(one) ?? null;
    return parent === null ? null : (categories.get(parent)?.id ?? 'new');
  };
  const nameOf = (one: DocumentChannel) => `${typeGroup(one.type)} ${one.name}`;
  const knownName = (one: Channel) => `${typeGroup(one.kind.toUpperCase())} ${one.name}`;
  const others = pairBy(
    all.filter((one) => !isCategory(one)),
    known.filter(({ kind }) => kind !== 'category'),
    [
      {
        given: (one) => `${parentId(one)} ${nameOf(one)}`,
        known: (one) => `${one.parentId} ${knownName(one)}`,
      },
      { isUniqueOnly: true, given: nameOf, known: knownName },
    ],
  );
  const named = paths.map(({ thing, path }) => ({ entry: thing, name: `${thing.type} ${path}` }));
  return identify(guildId, 'channel', named, new Map([...categories, ...others]));
};

type Pictured = { name: string; hash: string | undefined };

/** By name and picture, then by the picture alone; without a picture in the document by the name. */
export const identifyPictured = <Given extends object, Known extends { id: string; name: string }>(
  guildId: string,
  sort: 'emoji' | 'sticker' | 'sound',
  given: readonly Given[],
  known: readonly Known[],
  { ofGiven, hashOf }: { ofGiven(one: Given): Pictured; hashOf(one: Known): string | undefined },
): Identities<Given, Known> => {
  const pairs = pairBy(given, known, [
    {
      given: (one) => `${ofGiven(one).name} ${ofGiven(one).hash}`,
      known: (one) => `${one.name} ${hashOf(one)}`,
    },
    {
      isUniqueOnly: true,
      given: (one) => ofGiven(one).hash,
      known: hashOf,
    },
    {
      given: (one) => (ofGiven(one).hash === undefined ? ofGiven(one).name : undefined),
      known: ({ name }) => name,
    },
  ]);
  const named = given.map((entry) => {
    const { name, hash } = ofGiven(entry);
    return { entry, name: `${name} ${hash}` };
  });
  return identify(guildId, sort, named, pairs);
};

type DocumentRule = NonNullable<CommunityDocument['automod']>[number];

/** The trigger of a rule never changes. */
export const identifyRules = (
  { guildId, automod = [] }: Snapshot,
  given: readonly DocumentRule[],
): Identities<DocumentRule, SectionEntry<'automod'>> => {
  const pairs = pairBy(given, automod, [
    {
      given: ({ trigger, name }) => `${trigger} ${name}`,
      known: ({ triggerType, name }) => `${triggerType} ${name}`,
    },
  ]);
  const named = given.map((entry) => ({ entry, name: `${entry.trigger} ${entry.name}` }));
  return identify(guildId, 'automod', named, pairs);
};
