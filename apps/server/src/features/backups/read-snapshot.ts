import { inParallel } from '../../kernel/in-parallel.ts';
import { type IsErased, redactSnapshot } from './people/redact.ts';
import { type Manifest, manifestShape, pageShape, type Section, sectionShape } from './sections.ts';
import type { SectionEntry, SectionName, Snapshot } from './snapshot.ts';

/** Reads an object by its hash; it throws where the object is not what its hash says. */
export type ReadObject = (hash: string) => Promise<Uint8Array>;

const pagesAtOnce = 8;

/**
 * A snapshot as it was taken, or those sections of it that are wanted, without the people who erased
 * themselves since. Every reader says who they are, so that none can forget to ask. */
export const readSnapshot = async (
  read: ReadObject,
  checksum: string,
  wanted: readonly SectionName[],
  isErased: IsErased,
): Promise<Snapshot> => {
  const manifest = await readManifest(read, checksum);
  const snapshot: Snapshot = { guildId: manifest.guildId };
  for (const name of wanted) await readInto(snapshot, read, manifest, name);
  return redactSnapshot(snapshot, isErased);
};

const readInto = async <Name extends SectionName>(
  snapshot: Snapshot,
  read: ReadObject,
  manifest: Manifest,
  name: Name,
): Promise<void> => {
  const hash = manifest.sections[name];
  // A mapped type cannot be written to through a generic name; the entry has that name's type.
  const sections: { [Key in Name]?: SectionEntry<Key>[] } = snapshot;
  if (hash) sections[name] = await readSection(read, hash, name);
};

export const readManifest = async (read: ReadObject, checksum: string): Promise<Manifest> =>
  manifestShape.parse(parse(await read(checksum)));

const readSection = async <Name extends SectionName>(
  read: ReadObject,
  hash: string,
  name: Name,
): Promise<SectionEntry<Name>[]> => {
  const { count, pages } = await readSectionList(read, hash);
  const dealt = await inParallel(pagesAtOnce, pages, (page) => readPage(read, page, name));
  const entries = dealt.flat();
  if (entries.length !== count) throw new Error(`The section ${name} is not whole`);
  return entries;
};

/** Which pages a section has. */
export const readSectionList = async (read: ReadObject, hash: string): Promise<Section> =>
  sectionShape.parse(parse(await read(hash)));

export const readPage = async <Name extends SectionName>(
  read: ReadObject,
  hash: string,
  name: Name,
): Promise<SectionEntry<Name>[]> => pageShape(name).parse(parse(await read(hash)));

const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
