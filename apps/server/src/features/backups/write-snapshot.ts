import type { BackupComponent } from '@holdfast/contract';
import { allEnded, inParallel } from '../../kernel/in-parallel.ts';
import type { SnapshotSink } from './capture.ts';
import type { PeopleIn } from './objects/save-objects.ts';
import { peopleIn } from './people/redact.ts';
import { encode, entryId, type Manifest, pagesOf } from './sections.ts';
import type { SectionEntry, SectionName } from './snapshot.ts';

export type SaveObject = (bytes: Uint8Array, people?: PeopleIn) => Promise<string>;

/** How a person is named in the index of people; undefined where the snapshot holds none. */
export type IndexPerson = ((platformId: string) => bigint) | undefined;

export type WrittenSnapshot = {
  checksum: string;
  counts: Partial<Record<BackupComponent, number>>;
};

/**
 * Messages are stored as they come, for there can be half a million of them. Every other section is
 * stored when it is whole, because its pages are dealt from all its entries.
 */
const isStoredAsItComes = (name: SectionName): boolean => name === 'messages';

/** Each takes a connection, of which there are few for all that goes on. */
const pagesAtOnce = 64;

/** Takes a snapshot piece by piece and makes objects of it; `close` writes what ties them together. */
export const createSnapshotWriter = (
  guildId: string,
  save: SaveObject,
  indexPerson: IndexPerson,
) => {
  const pages = new Map<SectionName, string[]>();
  const waiting = new Map<SectionName, object[]>();
  const counts: Partial<Record<BackupComponent, number>> = {};

  const savePages = async (name: SectionName, entries: readonly object[]): Promise<void> => {
    // Which section it is decides what its entries are; `add` saw to it that they belong together.
    const idOf = entryId[name] as (entry: object) => string;
    const dealt = isStoredAsItComes(name) ? [entries] : pagesOf(entries, idOf);
    const hashes = await inParallel(pagesAtOnce, dealt, (page) =>
      save(encode(page), { section: name, hashes: () => hashesOf(name, page) }),
    );
    pages.set(name, [...(pages.get(name) ?? []), ...hashes]);
  };

  const hashesOf = (name: SectionName, page: readonly object[]): bigint[] => {
    if (!indexPerson) return [];
    // The same as above: the entries are of the section that they were added to.
    const entries = page as SectionEntry<typeof name>[];
    return peopleIn(name, entries).map(indexPerson);
  };

  const add: SnapshotSink['add'] = async <Name extends SectionName>(
    name: Name,
    entries: SectionEntry<Name>[],
  ) => {
    counts[name] = (counts[name] ?? 0) + entries.length;
    if (isStoredAsItComes(name)) return savePages(name, entries);
    waiting.set(name, [...(waiting.get(name) ?? []), ...entries]);
  };

  const addImage: SnapshotSink['addImage'] = async ({ bytes, contentType }) => ({
    hash: await save(bytes),
    contentType,
  });

  const close = async (components: readonly BackupComponent[]): Promise<WrittenSnapshot> => {
    await allEnded([...waiting].map(([name, entries]) => savePages(name, entries)));
    const sections: Manifest['sections'] = {};
    for (const name of components) {
      const section = { count: counts[name] ?? 0, pages: (pages.get(name) ?? []).toSorted() };
      sections[name] = await save(encode(section));
    }
    const manifest: Manifest = { format: 1, guildId, sections };
    return { checksum: await save(encode(manifest)), counts };
  };

  return { add, addImage, close };
};
