import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { accountHashKey } from '../../accounts/hash-key/hash-key.ts';
import { hashPerson, readErased } from '../erasure/erasures.ts';
import { redactEntries } from '../erasure/redact.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { readPage } from '../snapshot/read-snapshot.ts';
import type { SectionEntry } from '../snapshot/snapshot.ts';
import { listPagesOfMembers } from './queries.ts';

type Dependencies = { db: Database; ring: KeyRing; blobs: SealedBlobs };
type Source = { accountId: string; backupId: string; savedAt: Date };

const pagesAtOnce = 8;

/** What a backup has of these people, by their ids. Only pages that hold one of them are read. */
export const readSavedMembers = async (
  { db, ring, blobs }: Dependencies,
  { accountId, backupId, savedAt }: Source,
  platformIds: readonly string[],
): Promise<Map<string, SectionEntry<'memberRoles'>>> => {
  const key = await accountHashKey(db, ring, accountId);
  const people = platformIds.map((platformId) => hashPerson(key, platformId).indexHash);
  const pages = await listPagesOfMembers(db, { accountId, backupId }, people);
  const read = createObjectReader(db, blobs, accountId);
  const entries = await inParallel(pagesAtOnce, pages, (page) =>
    readPage(read, page, 'memberRoles'),
  );
  const isErased = await readErased(db, ring, { accountId, savedAt });
  const asked = new Set(platformIds);
  const redacted = await redactEntries('memberRoles', entries.flat(), isErased);
  return new Map(
    redacted.filter(({ userId }) => asked.has(userId)).map((entry) => [entry.userId, entry]),
  );
};
