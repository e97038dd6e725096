import { z } from 'zod';
import { inParallel } from '../../../kernel/concurrency.ts';
import { mapInTurns } from '../../../kernel/turns.ts';
import { redactSnapshot } from '../erasure/redact.ts';
import type { IsErased } from '../erasure/redact-text.ts';
import {
  entryShape,
  type Manifest,
  manifestShape,
  type Section,
  sectionShape,
} from './sections.ts';
import type { SectionEntry, SectionName, Snapshot } from './snapshot.ts';

/** Reads an object by its hash; it throws where the object is not what its hash says. */
export type ReadObject = (hash: string) => Promise<Uint8Array>;

const pagesAtOnce = 8;

/**
 * Reads the given sections of a snapshot, without people who were erased since it was saved. The last
 * parameter has no default, so that no reader can forget them.
 */
export const readSnapshot = async (
  read: ReadObject,
  checksum: string,
  sectionNames: readonly SectionName[],
  isErased: IsErased,
): Promise<Snapshot> => {
  const manifest = await readManifest(read, checksum);
  const snapshot: Snapshot = { guildId: manifest.guildId };
  for (const name of sectionNames) await readInto(snapshot, read, manifest, name);
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
  const pageEntries = await inParallel(pagesAtOnce, pages, (page) => readPage(read, page, name));
  const entries = pageEntries.flat();
  if (entries.length !== count) throw new Error(`The section ${name} is not complete`);
  return entries;
};

/** Which pages a section has. */
export const readSectionList = async (read: ReadObject, hash: string): Promise<Section> =>
  sectionShape.parse(parse(await read(hash)));

export const readPage = async <Name extends SectionName>(
  read: ReadObject,
  hash: string,
  name: Name,
): Promise<SectionEntry<Name>[]> => {
  const entries = z.array(z.unknown()).parse(parse(await read(hash)));
  const shape = entryShape(name);
  return mapInTurns(entries, (entry) => shape.parse(entry));
};

const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
