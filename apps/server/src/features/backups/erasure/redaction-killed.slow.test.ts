// Takes about 27 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { OwnedGuild } from '../../../../test/harness/backups/fixture.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import {
  createRedactionFixture,
  neverAborted,
  type RedactionFixture,
  withMessages,
} from '../../../../test/harness/erasure/redaction.ts';
import { createMortalWorker, mortalStore } from '../../../../test/harness/workers/mortal-worker.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-store.ts';
import { openBlobStore } from '../../../integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createObjectReader, verifyObjects } from '../objects/read-objects.ts';
import { sweepStorage } from '../objects/sweep/sweep-storage.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import { noneErased } from './redact.ts';

let people: PeopleFixture;
let fixture: RedactionFixture;
beforeAll(async () => {
  people = await startPeopleFixture({ doesWork: ['backups.run', 'restores.run'] });
  fixture = createRedactionFixture(people);
});
afterAll(() => people.stop());

/** Few steps, so that each of them can be died at. */
const fewSections = { components: ['roles', 'channels', 'memberRoles'] };

describe('a redaction', () => {
  test('killed at any step is continued and loses nothing', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    const { id } = await fixture.backups.takeBackup(server, fewSections);
    await fixture.erase(person);
    let deathAt = 1;
    for (; await redactUntilDeath(server, deathAt); deathAt++) {
      await expectWhole(server, id);
      if (deathAt > 200) throw new Error('The redaction never ends');
    }
    expect(deathAt).toBeGreaterThan(15);
    await fixture.redact(server);
    await fixture.expectGone(server, person);
    expect(await fixture.redactions(server)).toHaveLength(1);
    expect((await fixture.backups.restore(server, id)).error).toBeNull();
  });

  test('that was killed leaves nothing of somebody who erased themselves before the next', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    const late = await fixture.newPerson();
    await fixture.putEverywhere(server, late);
    const { id } = await fixture.backups.takeBackup(server, withMessages);
    await fixture.erase(person);
    const { $client: client } = people.service.db;
    for (let deathAt = 1; ; deathAt++) {
      if (!(await redactUntilDeath(server, deathAt))) throw new Error('It was never killed');
      const left = await client`select 1 from backup_blobs
        join blob_people using (blob_id) join blobs on id = blob_id
        where backup_id = ${id} and is_draft and is_stored`;
      if (left.length > 0) break;
    }
    await fixture.erase(late);
    await fixture.redact(server);
    for (const one of [person, late]) await fixture.expectGone(server, one);
    expect(await fixture.redactions(server)).toHaveLength(1);
  });

  test('lets a reader of the old objects finish, even during a sweep', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    const { id, checksum } = await fixture.backups.takeBackup(server, withMessages);
    await fixture.erase(person);
    await fixture.redact(server, { graceSeconds: 60 });
    const { db, blobs } = people.service;
    const sweep = () => sweepStorage({ db, blobs, clock: systemClock }, neverAborted);
    const readOld = () =>
      readSnapshot(
        createObjectReader(db, blobs, server.tenant.accountId),
        checksum,
        ['channels', 'memberRoles', 'messages'],
        noneErased,
      );
    await sweep();
    await fixture.free(server);
    expect((await readOld()).memberRoles).not.toEqual([]);
    await db.$client`update blobs set kept_until = now() where kept_until is not null`;
    await sweep();
    expect(readOld()).rejects.toThrow(BlobBroken);
    await fixture.expectGone(server, person);
    expect((await fixture.backups.restore(server, id)).error).toBeNull();
  });
});

/** Whatever was left behind: the backup can be read as its checksum says, and the count is right. */
const expectWhole = async (server: OwnedGuild, backupId: string): Promise<void> => {
  const { db, blobs } = people.service;
  const owner = { accountId: server.tenant.accountId, backupId };
  await verifyObjects(db, blobs, owner, neverAborted);
  const { checksum } = await fixture.backups.read(server, backupId);
  const read = createObjectReader(db, blobs, owner.accountId);
  await readSnapshot(read, checksum, ['channels', 'memberRoles'], noneErased);
  const { countedBytes, ownedBytes } = await fixture.backups.storageOf(server);
  expect(countedBytes).toBe(ownedBytes);
};

const redactUntilDeath = async (server: OwnedGuild, deathAt: number): Promise<boolean> => {
  const { service } = people;
  const { db, around, died, close } = createMortalWorker(service.databaseUrl, deathAt);
  const store = mortalStore(openBlobStore({ dataDir: service.dataDir }), around);
  const blobs = createSealedBlobs(store, service.ring);
  const redacting = fixture.redact(server, { db, blobs }).then(() => 'done' as const);
  const end = await Promise.race([redacting.catch(() => died), died]);
  if (end === 'done') await close();
  return end === 'dead';
};
