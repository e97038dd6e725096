import { walkPlainData } from '../../../kernel/plain-data.ts';
import { type ReadObject, readPage, readSectionList } from '../snapshot/read-snapshot.ts';
import type { Manifest } from '../snapshot/sections.ts';
import type { SectionName } from '../snapshot/snapshot.ts';

const objectHash = /^[0-9a-f]{64}$/;

/** The pictures and files that entries refer to, by the hashes of their objects. */
export const objectsReferredBy = (root: unknown): string[] => {
  const hashes: string[] = [];
  walkPlainData(root, (value, name) => {
    if (name === 'hash' && typeof value === 'string' && objectHash.test(value)) hashes.push(value);
    return true;
  });
  return hashes;
};

/**
 * Which of the objects that a redaction dropped nothing else in the backup refers to: the same file may
 * be attached to another person's message, or be the picture of an emoji. Every page is read, which only
 * the erasure of someone who posted files demands.
 */
export const findUnreferred = async (
  read: ReadObject,
  sections: Manifest['sections'],
  dropped: ReadonlySet<string>,
): Promise<string[]> => {
  if (dropped.size === 0) return [];
  const left = new Set(dropped);
  // The keys of a manifest's sections are names of sections.
  for (const name of Object.keys(sections) as SectionName[]) {
    const hash = sections[name];
    if (!hash) continue;
    for (const page of (await readSectionList(read, hash)).pages) {
      for (const object of objectsReferredBy(await readPage(read, page, name))) left.delete(object);
    }
  }
  return [...left];
};
