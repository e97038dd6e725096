import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createBackupFixture,
  expectExactStorage,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { freshDatabase } from '../../../../test/harness/database.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { createFileStore } from '../../../integrations/blobs/file-store.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';
import { verifyObjects } from './read-objects.ts';
import { rewrapObjects } from './rewrap-objects.ts';

const { signal } = new AbortController();
const ids = ['old', 'a-longer-id-of-the-new-key'];
const [oldKey = '', newKey = ''] = ids.map((id) => generateMasterKey().replace(/^\w+/, id));

const verify = ({ db, blobs }: TestService, { tenant }: OwnedGuild, backupId: string) =>
  verifyObjects(db, blobs, { accountId: tenant.accountId, backupId }, signal);

test('what was sealed under an earlier master key stays readable, restorable and shared', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-keys-'));
  const databaseUrl = await freshDatabase();
  const simulator = await sharedSimulator();
  const startWith = (keys: string) =>
    startTestService({
      databaseUrl,
      doesWork: ['backups.run', 'backups.release', 'restores.run'],
      ring: parseKeyRing(keys),
      blobStore: createFileStore(folder),
    });

  const before = await startWith(oldKey);
  const earlier = createBackupFixture(before, simulator);
  const server = await earlier.newServer();
  const first = await earlier.takeBackup(server);
  expect(first.status).toBe('completed');
  await before.stop();

  const after = await startWith(`${newKey},${oldKey}`);
  try {
    const fixture = createBackupFixture(after, simulator);
    const tenant = await after.newKey(server.tenant, ['*']);
    const same = { ...server, tenant };
    await verify(after, same, first.id);
    const second = await fixture.takeBackup(same);
    expect(second).toMatchObject({ checksum: first.checksum, storedBytes: 0 });
    const [broken] = await Array.fromAsync(after.blobs.list(tenant.accountId));
    if (!broken) throw new Error('There are no objects');
    await after.blobs.delete(broken);
    expect((await fixture.takeBackup(same)).status).toBe('completed');
    expect(await after.blobs.keyIdOf(broken)).toBe('a-longer-id-of-the-new-key');
    await expectExactStorage(fixture, same);
    expect((await fixture.restore(same, first.id)).status).toBe('completed');
    await expectAllResealedBehindBroken(after, tenant.accountId);
  } finally {
    await after.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

/** The page that is read first has nothing that opens. */
const expectAllResealedBehindBroken = async (
  { db, blobs, ring }: TestService,
  accountId: string,
) => {
  const sql = db.$client;
  await sql`insert into blobs
    (id, account_id, hash, size_bytes, stored_bytes, is_stored, seal_key_id, added_by)
    select n::text::uuid, ${accountId}, repeat(md5(n::text), 2), 1, 1, true, 'old', gen_random_uuid()
    from (select lpad(n::text, 32, '0') as n from generate_series(1, 100) as n) as numbers`;
  const broken: Error[] = [];
  const resealed = await rewrapObjects(db, ring, blobs, {
    signal,
    onBroken: (error) => broken.push(error),
  });
  expect(resealed).toBeGreaterThan(0);
  const left = await sql`select id from blobs where seal_key_id = 'old'`;
  expect([left.length, broken.length]).toEqual([100, 100]);
};
