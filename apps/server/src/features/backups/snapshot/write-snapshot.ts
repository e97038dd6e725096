import type { BackupComponent } from '@holdfast/contract';
import { awaitAll, inParallel } from '../../../kernel/concurrency.ts';
import { giveWay } from '../../../kernel/turns.ts';
import type { Image } from '../../../platform/port.ts';
import { peopleIn } from '../erasure/redact.ts';
import type { PeopleIn } from '../objects/save-objects.ts';
import { encode, entryId, type Manifest, splitIntoPages } from './sections.ts';
import type {
  SectionEntry,
  SectionName,
  StoredImage,
  StoredMessage,
  StoredThread,
} from './snapshot.ts';

export type SaveObject = (bytes: Uint8Array, people?: PeopleIn) => Promise<string>;

/** A person's entry in the index of people; undefined where the snapshot holds no people. */
type IndexPerson = ((platformId: string) => bigint) | undefined;

export type WrittenSnapshot = {
  checksum: string;
  counts: Partial<Record<BackupComponent, number>>;
  /** Of channels and of threads. */
  messages: number;
};

/**
 * Messages and threads are stored as they arrive, because there can be half a million of them. Every other section
 * is stored when it is complete, because its pages are made from all of its entries.
 */
const isStreamed = (name: SectionName): boolean => name === 'messages' || name === 'threads';

/** What the owner reads as the size of a section: of the onboarding, its prompts. */
const countIn = <Name extends SectionName>(name: Name, entries: SectionEntry<Name>[]): number => {
  if (name !== 'onboarding') return entries.length;
  // The name says what the entries are.
  const some = entries as SectionEntry<'onboarding'>[];
  return some.reduce((sum, { prompts }) => sum + prompts.length, 0);
};

/** Each page takes a connection of the pool, which is small. */
const pagesAtOnce = 64;

export type SnapshotWriter = ReturnType<typeof createSnapshotWriter>;

/** Receives a snapshot piece by piece and stores it as objects; `close` stores sections and manifest. */
export const createSnapshotWriter = (
  guildId: string,
  save: SaveObject,
  indexPerson: IndexPerson,
) => {
  const pages = new Map<SectionName, string[]>();
  const buffered = new Map<SectionName, object[]>();
  const entryCounts = new Map<SectionName, number>();
  const counts: Partial<Record<BackupComponent, number>> = {};
  let messages = 0;

  const savePages = async (name: SectionName, entries: readonly object[]): Promise<void> => {
    // `add` takes only entries of the section that it names.
    const idOf = entryId[name] as (entry: object) => string;
    const pagesToSave = isStreamed(name) ? [entries] : splitIntoPages(entries, idOf);
    const hashes = await inParallel(pagesAtOnce, pagesToSave, async (page) => {
      await giveWay();
      return save(encode(page), { section: name, hashes: () => hashesOf(name, page) });
    });
    pages.set(name, [...(pages.get(name) ?? []), ...hashes]);
  };

  const hashesOf = (name: SectionName, page: readonly object[]): bigint[] => {
    if (!indexPerson) return [];
    // The same as above.
    const entries = page as SectionEntry<typeof name>[];
    return peopleIn(name, entries).map(indexPerson);
  };

  const add = async <Name extends SectionName>(
    name: Name,
    added: SectionEntry<Name>[],
  ): Promise<void> => {
    entryCounts.set(name, (entryCounts.get(name) ?? 0) + added.length);
    counts[name] = (counts[name] ?? 0) + countIn(name, added);
    messages += countMessages(name, added);
    if (isStreamed(name)) return savePages(name, added);
    buffered.set(name, [...(buffered.get(name) ?? []), ...added]);
  };

  const addImage = async ({ bytes, contentType }: Image): Promise<NonNullable<StoredImage>> => ({
    hash: await save(bytes),
    contentType,
  });

  /** Who it belongs to is known by the message that refers to it. */
  const addFile = (bytes: Uint8Array): Promise<string> => save(bytes);

  const close = async (components: readonly BackupComponent[]): Promise<WrittenSnapshot> => {
    const complete = [...buffered].filter(([name]) => components.includes(name));
    await awaitAll(complete.map(([name, added]) => savePages(name, added)));
    const sections: Manifest['sections'] = {};
    for (const name of components) {
      const section = {
        count: entryCounts.get(name) ?? 0,
        pages: (pages.get(name) ?? []).toSorted(),
      };
      sections[name] = await save(encode(section));
    }
    const manifest: Manifest = { format: 1, guildId, sections };
    const checksum = await save(encode(manifest));
    const kept = components.map((name) => [name, counts[name]]);
    return { checksum, counts: Object.fromEntries(kept), messages };
  };

  return { add, addImage, addFile, close };
};

/** The messages in entries of a section, as a backup's record counts them. */
export const countMessages = (name: SectionName, entries: readonly object[]): number => {
  if (name !== 'messages' && name !== 'threads') return 0;
  // The entries are those of the section.
  const sections = entries as (StoredMessage | StoredThread)[];
  const messages = sections.flatMap((entry) => ('messages' in entry ? entry.messages : [entry]));
  return messages.filter(({ isOlderPin }) => !isOlderPin).length;
};
