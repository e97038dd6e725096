import type { Database } from '../../../db/connect.ts';
import type { Log } from '../../../kernel/log.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-broken.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { accountHashKey } from '../../accounts/hash-key.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { readManifest, readPage, readSectionList } from '../read-snapshot.ts';
import type { SectionName } from '../snapshot.ts';
import { hashPerson } from './hash-person.ts';
import {
  indexRemaining,
  listUnindexedBackups,
  listUnindexedOf,
  storeIndex,
  type UnindexedBackup,
} from './queries.ts';
import { peopleIn } from './redact.ts';

type Tools = { db: Database; ring: KeyRing; blobs: SealedBlobs; log: Log };

/**
 * Says of every object that was stored before there was an index who is in it. An object is indexed
 * together with its mark, so a worker that dies goes on where it stopped.
 */
export const indexBackups = async (tools: Tools, signal: AbortSignal): Promise<void> => {
  const tried = new Set<string>();
  for (;;) {
    const some = (await listUnindexedBackups(tools.db)).filter(({ id }) => !tried.has(id));
    if (some.length === 0) break;
    for (const backup of some) {
      signal.throwIfAborted();
      tried.add(backup.id);
      await indexBackup(tools, backup).catch((err) => {
        if (!(err instanceof BlobBroken)) throw err;
        tools.log.error({ err, backupId: backup.id }, 'a broken backup cannot be indexed');
      });
    }
  }
  // What templates hold names nobody, and what nothing refers to is about to go.
  await indexRemaining(tools.db);
};

const indexBackup = async (
  { db, ring, blobs }: Tools,
  { id, accountId, checksum }: UnindexedBackup,
): Promise<void> => {
  const read = createObjectReader(db, blobs, accountId);
  const key = await accountHashKey(db, ring, accountId);
  const open = await listUnindexedOf(db, id);
  const { sections } = await readManifest(read, checksum);
  // The keys of a manifest's sections are names of sections.
  for (const name of Object.keys(sections) as SectionName[]) {
    const hash = sections[name];
    if (!hash) continue;
    for (const page of (await readSectionList(read, hash)).pages) {
      const blobId = open.get(page);
      if (!blobId) continue;
      const people = peopleIn(name, await readPage(read, page, name));
      const hashes = people.map((person) => hashPerson(key, person).indexHash);
      await db.transaction((tx) =>
        storeIndex(tx, accountId, { blobId, section: name, people: hashes }),
      );
      open.delete(page);
    }
  }
  await db.transaction(async (tx) => {
    for (const blobId of open.values()) {
      await storeIndex(tx, accountId, { blobId, section: 'settings', people: [] });
    }
  });
};
