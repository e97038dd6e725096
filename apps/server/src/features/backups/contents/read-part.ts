import type { DownloadPart } from '@holdfast/contract';
import { conflict, invalidField } from '../../../kernel/errors.ts';
import { readErased } from '../erasure/erasures.ts';
import { redactEntries } from '../erasure/redact.ts';
import { savedAtOf } from '../queries.ts';
import { readManifest, readPage, readSectionList } from '../snapshot/read-snapshot.ts';
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

type PartRequest = { withPeople: boolean; after?: string | undefined };

/** Where a part begins. */
type Place = { name: SectionName; page: number };

/** A part ends with the page that passes this. */
const partBytes = 1024 * 1024;
/** A larger object is named by its hash only. */
const objectLimit = { eachBytes: 1024 * 1024, allBytes: Number.POSITIVE_INFINITY };

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
    const { pages } = await readSectionList(read, hash);
    const shown: unknown[] = [];
    let [page, bytes] = [place.page, 0];
    while (page < pages.length && bytes < partBytes) {
      const stored = await readPage(read, pages[page] ?? '', place.name);
      const prepared = await prepare(dependencies, address, backup, {
        ...place,
        stored,
        withPeople,
      });
      shown.push(...prepared);
      bytes += JSON.stringify(prepared).length;
      page++;
    }
    const following = names[names.indexOf(place.name) + 1];
    const next =
      page < pages.length ? { name: place.name, page } : following && { name: following, page: 0 };
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

type StoredPage<Name extends SectionName> = {
  name: Name;
  stored: SectionEntry<Name>[];
  withPeople: boolean;
};

const prepare = async <Name extends SectionName>(
  { db, blobs, ring }: ContentsDependencies,
  { server: { accountId } }: BackupAddress,
  backup: ReadableBackup,
  { name, stored, withPeople }: StoredPage<Name>,
): Promise<unknown[]> => {
  // After the objects: people who were erased while they were read are not in it either.
  const isErased = await readErased(db, ring, { accountId, savedAt: savedAtOf(backup) });
  const redacted = await redactEntries(name, stored, isErased);
  const limited =
    backup.kind === 'MARKETPLACE'
      ? ((await limitToTemplate({ guildId: '', [name]: redacted }))[name] ?? [])
      : redacted;
  const entries = withPeople ? limited : leaveOutPeople(limited);
  const source = { db, blobs, accountId };
  const urls = await readDataUrls(source, findStoredObjects(entries), objectLimit);
  return entries.map((entry) => inlineObjects(entry, urls));
};
