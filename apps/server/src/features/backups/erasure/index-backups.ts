import type { Database } from '../../../db/connect.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Log } from '../../../kernel/log.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { accountHashKey } from '../../accounts/hash-key/hash-key.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { readManifest, readPage, readSectionList } from '../snapshot/read-snapshot.ts';
import type { SectionName } from '../snapshot/snapshot.ts';
import { hashPerson } from './erasures.ts';
import {
  listUnindexedBackups,
  listUnindexedBlobs,
  markUnreferencedIndexed,
  storePeopleOfBlob,
  type UnindexedBackup,
} from './queries.ts';
import { peopleIn } from './redact.ts';

type Dependencies = { db: Database; ring: KeyRing; blobs: SealedBlobs; log: Log };

/**
 * Indexes who is in the objects that were stored before there was an index. An object is marked as
 * indexed in the same transaction, so a run after a crash goes on where the last one stopped.
 */
export const indexBackups = async (dependencies: Dependencies, signal: AbortSignal) => {
  const tried = new Set<string>();
  for (;;) {
    const batch = (await listUnindexedBackups(dependencies.db)).filter(({ id }) => !tried.has(id));
    if (batch.length === 0) break;
    for (const backup of batch) {
      signal.throwIfAborted();
      tried.add(backup.id);
      await indexBackup(dependencies, backup).catch((err) => {
        if (!(err instanceof BlobBroken)) throw err;
        dependencies.log.error({ err, backupId: backup.id }, 'a broken backup cannot be indexed');
      });
    }
  }
  // Objects of templates hold no people, and objects without a reference are about to be released.
  await markUnreferencedIndexed(dependencies.db);
};

const indexBackup = async (
  { db, ring, blobs }: Dependencies,
  { id, accountId, checksum }: UnindexedBackup,
): Promise<void> => {
  const read = createObjectReader(db, blobs, accountId);
  const key = await accountHashKey(db, ring, accountId);
  const unindexed = await listUnindexedBlobs(db, id);
  const { sections } = await readManifest(read, checksum);
  // The keys of a manifest's sections are names of sections.
  for (const name of Object.keys(sections) as SectionName[]) {
    const hash = sections[name];
    if (!hash) continue;
    for (const page of (await readSectionList(read, hash)).pages) {
      const blobId = unindexed.get(page);
      if (!blobId) continue;
      const people = peopleIn(name, await readPage(read, page, name));
      const hashes = people.map((person) => hashPerson(key, person).indexHash);
      await db.transaction((tx) =>
        storePeopleOfBlob(tx, accountId, { blobId, section: name, people: hashes }),
      );
      unindexed.delete(page);
    }
  }
  await db.transaction(async (tx) => {
    for (const blobId of unindexed.values()) {
      await storePeopleOfBlob(tx, accountId, { blobId, section: 'settings', people: [] });
    }
  });
};
