import type { Overwrite } from '../../../platform/guild.ts';
import {
  type SectionEntry,
  type SectionName,
  type Snapshot,
  sectionEntries,
} from '../snapshot/snapshot.ts';

export type IsErased = (platformId: string) => boolean;

/** No person of the account is erased. */
export const noneErased: IsErased = () => false;

type Redactor<Name extends SectionName> = {
  /** The people whose erasure would change the entry. */
  people(entry: SectionEntry<Name>): string[];
  /** The entry without the erased; undefined where nothing of it is left. */
  redact(entry: SectionEntry<Name>, isErased: IsErased): SectionEntry<Name> | undefined;
};

/**
 * What a snapshot holds of people, and what stays when one of them is erased. Bans, and what a channel
 * denies a person, stay with the platform id alone: otherwise erasing oneself would be a way around a
 * ban. Everything else of the person is removed.
 */
const redactors: { [Name in SectionName]: Redactor<Name> } = {
  settings: {
    people: ({ description }) => idsInText(description),
    redact: (entry, isErased) => ({
      ...entry,
      description: redactText(entry.description, isErased),
    }),
  },
  roles: { people: () => [], redact: (entry) => entry },
  emojis: { people: () => [], redact: (entry) => entry },
  stickers: {
    people: ({ description }) => idsInText(description),
    redact: (entry, isErased) => ({
      ...entry,
      description: redactText(entry.description, isErased),
    }),
  },
  channels: {
    people: ({ topic, overwrites }) => [
      ...idsInText(topic),
      ...overwrites.filter(givesToMember).map(({ id }) => id),
    ],
    redact: (entry, isErased) => ({
      ...entry,
      topic: redactText(entry.topic, isErased),
      overwrites: redactOverwrites(entry.overwrites, isErased),
    }),
  },
  bans: {
    people: ({ userId, reason }) => (reason === null ? [] : [userId, ...idsInText(reason)]),
    redact: (entry, isErased) => ({
      ...entry,
      reason: isErased(entry.userId) ? null : redactText(entry.reason, isErased),
    }),
  },
  memberRoles: {
    people: ({ userId }) => [userId],
    redact: (entry, isErased) => (isErased(entry.userId) ? undefined : entry),
  },
  messages: {
    people: ({ authorId, content }) => [authorId, ...idsInText(content)],
    redact: (entry, isErased) =>
      isErased(entry.authorId)
        ? undefined
        : { ...entry, content: redactText(entry.content, isErased) },
  },
};

/** Also an overwrite that neither allows nor denies: it has no effect, but names a person. */
const givesToMember = ({ kind, allow, deny }: Overwrite): boolean =>
  kind === 'member' && (BigInt(allow) !== 0n || BigInt(deny) === 0n);

/** What is denied to a person stays denied. */
export const redactOverwrites = (overwrites: Overwrite[], isErased: IsErased): Overwrite[] =>
  overwrites.flatMap((overwrite) => {
    if (!givesToMember(overwrite) || !isErased(overwrite.id)) return [overwrite];
    return BigInt(overwrite.deny) === 0n ? [] : [{ ...overwrite, allow: '0' }];
  });

/** Everyone whose erasure would change one of these entries, each once. */
export const peopleIn = <Name extends SectionName>(
  name: Name,
  entries: readonly SectionEntry<Name>[],
): string[] => [...new Set(entries.flatMap((entry) => redactors[name].people(entry)))];

export const redactEntries = <Name extends SectionName>(
  name: Name,
  entries: readonly SectionEntry<Name>[],
  isErased: IsErased,
): SectionEntry<Name>[] =>
  isErased === noneErased
    ? [...entries]
    : entries.flatMap((entry) => redactors[name].redact(entry, isErased) ?? []);

const sectionNames = Object.keys(sectionEntries) as SectionName[];

export const redactSnapshot = (snapshot: Snapshot, isErased: IsErased): Snapshot => {
  if (isErased === noneErased) return snapshot;
  const redacted: Snapshot = { guildId: snapshot.guildId };
  for (const name of sectionNames) redactInto(redacted, snapshot, name, isErased);
  return redacted;
};

const redactInto = <Name extends SectionName>(
  redacted: { [Key in Name]?: SectionEntry<Key>[] },
  snapshot: { [Key in Name]?: SectionEntry<Key>[] },
  name: Name,
  isErased: IsErased,
): void => {
  const entries = snapshot[name];
  if (entries) redacted[name] = redactEntries(name, entries, isErased);
};

/** How the platform writes a person into a text. */
const mention = /<@!?(\d{1,20})>/g;
/** The platform's ids contain the time, so all of them are this long. */
const bareId = /(?<!\d)\d{15,20}(?!\d)/g;

/** A name with its id, as bots write it into logs, Holdfast's own line on a verification included. */
const nameWithId = /(?:(?<=^Verified: ).*|[^\s(]+) \((\d{15,20})\)/gm;

/** Every platform id in a text: mentions and written ids. */
export const idsInText = (text: string | null): string[] =>
  text === null
    ? []
    : [...text.matchAll(mention)].flatMap(([, id]) => id ?? []).concat(text.match(bareId) ?? []);

/** The text without the ids of erased people, and without names before their ids. */
export function redactText(text: string, isErased: IsErased): string;
export function redactText(text: string | null, isErased: IsErased): string | null;
export function redactText(text: string | null, isErased: IsErased): string | null {
  if (text === null) return null;
  return text
    .replace(nameWithId, (whole, id: string) => (isErased(id) ? 'somebody (000)' : whole))
    .replace(mention, (whole, id: string) => (isErased(id) ? '@someone' : whole))
    .replace(bareId, (id) => (isErased(id) ? '000' : id));
}
