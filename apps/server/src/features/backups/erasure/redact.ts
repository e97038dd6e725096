import { mapInTurns } from '../../../kernel/turns.ts';
import type { Overwrite } from '../../../platform/guild.ts';
import {
  type SectionEntry,
  type SectionName,
  type Snapshot,
  sectionEntries,
} from '../snapshot/snapshot.ts';
import { peopleOfMessage, peopleOfThread, redactMessage, redactThread } from './redact-messages.ts';
import { type IsErased, idsInText, redactText, redactTextsIn, textsIn } from './redact-text.ts';

/** No person of the account is erased. */
export const noneErased: IsErased = () => false;

type Redactor<Name extends SectionName> = {
  /** The people whose erasure would change the entry. */
  people(entry: SectionEntry<Name>): string[];
  /** The entry without the erased; undefined where nothing of it is left. */
  redact(entry: SectionEntry<Name>, isErased: IsErased): SectionEntry<Name> | undefined;
};

/** For entries that hold people only where their texts mention them. */
const inTexts = <Name extends SectionName>(): Redactor<Name> => ({
  people: (entry) => textsIn(entry).flatMap(idsInText),
  redact: (entry, isErased) => redactTextsIn(entry, isErased),
});

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
  automod: inTexts(),
  onboarding: inTexts(),
  welcomeScreen: inTexts(),
  events: inTexts(),
  soundboard: inTexts(),
  webhooks: inTexts(),
  threads: { people: peopleOfThread, redact: redactThread },
  messages: { people: peopleOfMessage, redact: redactMessage },
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

/** In turns: each person in an entry is a hash to compute. */
export const redactEntries = async <Name extends SectionName>(
  name: Name,
  entries: readonly SectionEntry<Name>[],
  isErased: IsErased,
): Promise<SectionEntry<Name>[]> => {
  if (isErased === noneErased) return [...entries];
  const redacted = await mapInTurns(entries, (entry) => redactors[name].redact(entry, isErased));
  return redacted.filter((entry) => entry !== undefined);
};

const sectionNames = Object.keys(sectionEntries) as SectionName[];

export const redactSnapshot = async (snapshot: Snapshot, isErased: IsErased): Promise<Snapshot> => {
  if (isErased === noneErased) return snapshot;
  const redacted: Snapshot = { guildId: snapshot.guildId };
  for (const name of sectionNames) await redactInto(redacted, snapshot, name, isErased);
  return redacted;
};

const redactInto = async <Name extends SectionName>(
  redacted: { [Key in Name]?: SectionEntry<Key>[] },
  snapshot: { [Key in Name]?: SectionEntry<Key>[] },
  name: Name,
  isErased: IsErased,
): Promise<void> => {
  const entries = snapshot[name];
  if (entries) redacted[name] = await redactEntries(name, entries, isErased);
};
