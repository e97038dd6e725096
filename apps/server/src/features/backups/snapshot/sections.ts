import { z } from 'zod';
import { sha256Hex } from '../../../kernel/hash.ts';
import { canonicalJson } from '../../../kernel/json.ts';
import { type SectionEntry, type SectionName, sectionEntries } from './snapshot.ts';

/**
 * How a snapshot becomes objects. A section's entries are distributed over pages by a hash of their id,
 * so that one change touches one small page; a section lists its pages, the manifest its sections.
 * Equal content always gives equal bytes: an unchanged section is stored once, and a backup of an
 * unchanged guild adds nothing.
 */
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const manifestShape = z.object({
  format: z.literal(1),
  guildId: z.string(),
  sections: z.partialRecord(z.enum(Object.keys(sectionEntries) as [SectionName]), hash),
});
export type Manifest = z.output<typeof manifestShape>;

export const sectionShape = z.object({ count: z.number().int(), pages: z.array(hash) });
export type Section = z.output<typeof sectionShape>;

export const entryShape = <Name extends SectionName>(name: Name) =>
  // The mapped type is not followed by the compiler through a generic name.
  sectionEntries[name] as unknown as z.ZodType<SectionEntry<Name>>;

/** Roles and channels are few and change one by one; members and bans can be many. */
const small = { most: 512, perPage: 16 };
const large = { perPage: 128, mostPages: 512 };

/** Distributes entries over a power of two of pages, each in the order of its ids. */
export const splitIntoPages = <Entry extends object>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
): Entry[][] => {
  const pageCount = pageCountFor(entries.length);
  const pages = Array.from({ length: pageCount }, (): { id: string; entry: Entry }[] => []);
  for (const entry of entries) {
    const id = idOf(entry);
    pages[Number.parseInt(sha256Hex(id).slice(0, 8), 16) % pageCount]?.push({ id, entry });
  }
  return pages
    .filter((page) => page.length > 0)
    .map((page) => page.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ entry }) => entry));
};

/** Few entries to a page, but never so many pages that their list is larger than they are. */
const pageCountFor = (entries: number): number => {
  const ideal =
    entries <= small.most
      ? entries / small.perPage
      : Math.max(small.most / small.perPage, entries / large.perPage);
  const pages = 2 ** Math.ceil(Math.log2(Math.max(1, ideal)));
  return Math.min(large.mostPages, pages);
};

/** The id of an entry in its section. */
export const entryId: { [Name in SectionName]: (entry: SectionEntry<Name>) => string } = {
  settings: () => '',
  roles: ({ id }) => id,
  channels: ({ id }) => id,
  emojis: ({ id }) => id,
  stickers: ({ id }) => id,
  bans: ({ userId }) => userId,
  memberRoles: ({ userId }) => userId,
  automod: ({ id }) => id,
  onboarding: () => '',
  welcomeScreen: () => '',
  events: ({ id }) => id,
  soundboard: ({ id }) => id,
  webhooks: ({ id }) => id,
  threads: ({ id }) => id,
  messages: ({ id }) => id,
};

export const encode = (value: unknown): Uint8Array =>
  new TextEncoder().encode(canonicalJson(value));
