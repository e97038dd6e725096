import type { DownloadPart } from '@holdfast/contract';
import { conflict, invalidField } from '../../../kernel/errors.ts';
import { readErased } from '../erasure/erasures.ts';
import { redactEntries } from '../erasure/redact.ts';
import { savedAtOf } from '../queries.ts';
import {
  type ReadObject,
  readManifest,
  readPage,
  readSectionList,
} from '../snapshot/read-snapshot.ts';
import { type SectionEntry, type SectionName, sectionEntries } from '../snapshot/snapshot.ts';
import { limitToTemplate, templateComponents } from '../snapshot/template.ts';
import { findStoredObjects, inlineObjects, readDataUrls } from './inline-objects.ts';
import { isAboutPeople, leaveOutPeople } from './leave-out-people.ts';
import {
  type BackupAddress,
  type ContentsDependencies,
  type ReadableBackup,
  readBackup,
} from './read-backup.ts';

export type PartRequest = { withPeople: boolean; after?: string | undefined };

/** Where a part begins. */
type Place = { name: SectionName; page: number };

/** A part ends with the page that passes this. A larger object is named by its hash only. */
const partBytes = 1024 * 1024;
const largestObjectBytes = 1024 * 1024;

const sectionNames = Object.keys(sectionEntries) as SectionName[];

/**
 * One part of a backup as a file: entries of one section, and where the next part begins. A backup can
 * hold a hundred thousand people, so no request reads it whole.
 */
export const readPart = (
  dependencies: ContentsDependencies,
  address: BackupAddress,
  { withPeople, after }: PartRequest,
): Promise<DownloadPart> =>
  readBackup(dependencies, address, async (backup, read) => {
    const { sections } = await readManifest(read, backup.checksum);
    const names = sectionNames.filter(
      (name) =>
        sections[name] &&
        (withPeople || !isAboutPeople(name)) &&
        (backup.kind !== 'MARKETPLACE' || isOfTemplate(name)),
    );
    const place = placeOf(after, backup.checksum, names);
    const hash = place && sections[place.name];
    if (!hash) return { section: null, entries: [], next: null };
    const { entries, nextPage } = await readPages(read, hash, place);
    const shown = await prepare(dependencies, address, backup, place.name, entries, withPeople);
    const following = names[names.indexOf(place.name) + 1];
    const next = nextPage
      ? { name: place.name, page: nextPage }
      : following && { name: following, page: 0 };
    return {
      section: place.name,
      entries: shown,
      next: next ? [backup.checksum, next.name, next.page].join('.') : null,
    };
  });

const isOfTemplate = (name: SectionName): boolean =>
  templateComponents.some((component) => component === name);

const placeOf = (
  after: string | undefined,
  checksum: string,
  names: readonly SectionName[],
): Place | undefined => {
  const [first] = names;
  if (after === undefined) return first && { name: first, page: 0 };
  const [from, section, page] = after.split('.');
  if (from !== checksum) throw conflict('The backup has changed: download it again');
  const name = names.find((known) => known === section);
  if (!name) throw invalidField('after', 'Must be what the part before named as `next`');
  return { name, page: Number(page) };
};

const readPages = async <Name extends SectionName>(
  read: ReadObject,
  hash: string,
  { name, page: first }: { name: Name; page: number },
): Promise<{ entries: SectionEntry<Name>[]; nextPage: number | undefined }> => {
  const { pages } = await readSectionList(read, hash);
  const entries: SectionEntry<Name>[] = [];
  let bytes = 0;
  let page = first;
  for (const pageHash of pages.slice(first)) {
    if (bytes > partBytes) break;
    const counted = async (wanted: string) => {
      const object = await read(wanted);
      bytes += object.length;
      return object;
    };
    const found = await readPage(counted, pageHash, name);
    entries.push(...found);
    // Their pictures follow; how large they are is known only when they are read.
    bytes += findStoredObjects(found).length * (partBytes / 32);
    page++;
  }
  return { entries, nextPage: page < pages.length ? page : undefined };
};

const prepare = async <Name extends SectionName>(
  { db, blobs, ring }: ContentsDependencies,
  { server: { accountId } }: BackupAddress,
  backup: ReadableBackup,
  name: Name,
  stored: SectionEntry<Name>[],
  withPeople: boolean,
): Promise<unknown[]> => {
  // After the objects: people who were erased while they were read are not in it either.
  const isErased = await readErased(db, ring, { accountId, savedAt: savedAtOf(backup) });
  const redacted = redactEntries(name, stored, isErased);
  const limited =
    backup.kind === 'MARKETPLACE'
      ? (limitToTemplate({ guildId: '', [name]: redacted })[name] ?? [])
      : redacted;
  const entries = withPeople ? limited : leaveOutPeople(limited);
  const source = { db, blobs, accountId };
  const urls = await readDataUrls(source, findStoredObjects(entries), largestObjectBytes);
  return entries.map((entry) => inlineObjects(entry, urls));
};
