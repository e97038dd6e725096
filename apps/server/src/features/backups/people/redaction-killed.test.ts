import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { OwnedGuild } from '../../../../test/backup-scene.ts';
import { createMortal, mortalStore } from '../../../../test/mortal-worker.ts';
import { type PeopleScene, startPeopleScene } from '../../../../test/people-scene.ts';
import {
  createRedactionScene,
  neverAborted,
  type RedactionScene,
  withMessages,
} from '../../../../test/redaction-scene.ts';
import { BlobBroken } from '../../../integrations/blobs/blob-broken.ts';
import { openBlobStore } from '../../../integrations/blobs/open-store.ts';
import { createSealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { sweepStorage } from '../objects/free-objects.ts';
import { createObjectReader, verifyObjects } from '../objects/read-objects.ts';
import { readSnapshot } from '../read-snapshot.ts';
import { nobodyErased } from './redact.ts';

let people: PeopleScene;
let scene: RedactionScene;
beforeAll(async () => {
  people = await startPeopleScene({ doesWork: ['backups.run', 'restores.run'] });
  scene = createRedactionScene(people);
}, 60_000);
afterAll(() => people.stop());

/** Few steps, so that each of them can be died at. */
const fewSections = { components: ['roles', 'channels', 'memberRoles'] };

describe('a redaction', () => {
  test('killed at any step goes on and loses nothing', async () => {
    const { person, server } = await scene.newPlace();
    const { id } = await scene.backups.takeBackup(server, fewSections);
    await scene.erase(person);
    let deathAt = 1;
    for (; await redactUntilDeath(server, deathAt); deathAt++) {
      await expectWhole(server, id);
      if (deathAt > 200) throw new Error('The redaction never ends');
    }
    expect(deathAt).toBeGreaterThan(15);
    await scene.redact(server);
    await scene.expectGone(server, person);
    expect(await scene.redactions(server)).toHaveLength(1);
    expect((await scene.backups.restore(server, id)).error).toBeNull();
  }, 60_000);

  test('that was killed leaves nothing of somebody who erased themselves before the next', async () => {
    const { person, server } = await scene.newPlace();
    const late = await scene.newPerson();
    await scene.putEverywhere(server, late);
    const { id } = await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    const { $client: client } = people.service.db;
    for (let deathAt = 1; ; deathAt++) {
      if (!(await redactUntilDeath(server, deathAt))) throw new Error('It was never killed');
      const left = await client`select 1 from backup_blobs
        join blob_people using (blob_id) join blobs on id = blob_id
        where backup_id = ${id} and is_draft and is_stored`;
      if (left.length > 0) break;
    }
    await scene.erase(late);
    await scene.redact(server);
    for (const one of [person, late]) await scene.expectGone(server, one);
    expect(await scene.redactions(server)).toHaveLength(1);
  }, 60_000);

  test('lets whoever reads the backup at that moment finish, also beside a sweep', async () => {
    const { person, server } = await scene.newPlace();
    const { id, checksum } = await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    await scene.redact(server, { graceSeconds: 60 });
    const { db, blobs } = people.service;
    const sweep = () => sweepStorage(db, blobs, neverAborted);
    const readOld = () =>
      readSnapshot(
        createObjectReader(db, blobs, server.tenant.accountId),
        checksum,
        ['channels', 'memberRoles', 'messages'],
        nobodyErased,
      );
    await sweep();
    await scene.free(server);
    expect((await readOld()).memberRoles).not.toEqual([]);
    await db.$client`update blobs set kept_until = now() where kept_until is not null`;
    await sweep();
    expect(readOld()).rejects.toThrow(BlobBroken);
    await scene.expectGone(server, person);
    expect((await scene.backups.restore(server, id)).error).toBeNull();
  });
});

/** Whatever was left behind: the backup can be read as its checksum says, and the count is right. */
const expectWhole = async (server: OwnedGuild, backupId: string): Promise<void> => {
  const { db, blobs } = people.service;
  const owner = { accountId: server.tenant.accountId, backupId };
  await verifyObjects(db, blobs, owner, neverAborted);
  const { checksum } = await scene.backups.read(server, backupId);
  const read = createObjectReader(db, blobs, owner.accountId);
  await readSnapshot(read, checksum, ['channels', 'memberRoles'], nobodyErased);
  const { countedBytes, ownedBytes } = await scene.backups.storageOf(server);
  expect(countedBytes).toBe(ownedBytes);
};

const redactUntilDeath = async (server: OwnedGuild, deathAt: number): Promise<boolean> => {
  const { service } = people;
  const { db, around, died, close } = createMortal(service.databaseUrl, deathAt);
  const store = mortalStore(openBlobStore({ dataDir: service.dataDir }), around);
  const blobs = createSealedBlobs(store, service.ring);
  const redacting = scene.redact(server, { db, blobs }).then(() => 'done' as const);
  const end = await Promise.race([redacting.catch(() => died), died]);
  if (end === 'done') await close();
  return end === 'dead';
};
