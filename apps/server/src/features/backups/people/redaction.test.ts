import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/audit-entries.ts';
import { expectExactStorage, type OwnedGuild } from '../../../../test/backup-scene.ts';
import {
  createErasureScene,
  type ErasureScene,
  type Person,
} from '../../../../test/erasure-scene.ts';
import { eventually } from '../../../../test/eventually.ts';
import { createMortal, mortalStore } from '../../../../test/mortal-worker.ts';
import { type PeopleScene, startPeopleScene } from '../../../../test/people-scene.ts';
import { openBlobStore } from '../../../outside/blobs/open-store.ts';
import { createSealedBlobs } from '../../../outside/blobs/sealed-blobs.ts';
import { proveBackup } from '../../restores/prove.ts';
import { isBackupInUse } from '../../restores/queries.ts';
import { redactJournals } from '../../restores/redact-journals.ts';
import { freeObjects } from '../objects/free-objects.ts';
import { findBackup } from '../queries.ts';
import { liftErasureOf } from './erasures.ts';
import { indexBackups } from './index-backups.ts';
import { redactAccountJob } from './jobs.ts';
import type { RedactTools } from './redact-backup.ts';

let people: PeopleScene;
let scene: ErasureScene;
beforeAll(async () => {
  people = await startPeopleScene({ doesWork: ['backups.run', 'restores.run', 'restores.prove'] });
  scene = createErasureScene(people);
}, 60_000);
afterAll(() => people.stop());

const withMessages = {
  components: ['settings', 'roles', 'channels', 'bans', 'memberRoles', 'messages'],
};
const ownLease = { fence: 1, isHeld: () => true, requireHeld: async () => undefined };
const neverAborted = new AbortController().signal;

const redactTools = (changes: Partial<RedactTools> = {}) => ({
  ...people.service,
  isBackupInUse,
  onRedacted: async () => undefined,
  redactElsewhere: (userId: string, signal: AbortSignal) =>
    redactJournals(people.service, userId, signal),
  ...changes,
});

const redact = async ({ tenant: { userId } }: OwnedGuild, changes: Partial<RedactTools> = {}) =>
  redactAccountJob(redactTools(changes)).run({ userId }, neverAborted, ownLease);

const free = ({ tenant: { userId } }: OwnedGuild) =>
  freeObjects(people.service.db, people.service.blobs, userId, neverAborted);

const newPlace = async () => {
  const person = await scene.newPerson();
  const server = await scene.backups.newServer();
  return { person, server, ...(await scene.putEverywhere(server, person)) };
};

const expectGone = async (server: OwnedGuild, { platformId, canary }: Person) => {
  await free(server);
  for (const name of [platformId, canary]) {
    expect(await scene.objectsHolding(server, name)).toEqual([]);
  }
  await expectExactStorage(scene.backups, server);
};

const redactions = async ({ tenant }: OwnedGuild) =>
  (await auditOf(tenant)).data.filter(
    ({ action }: { action: string }) => action === 'backup.redact',
  );

/** Which tables hold the text in a row of theirs. */
const tablesHolding = async (text: string): Promise<string[]> => {
  const { $client: client } = people.service.db;
  const tables = await client`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  const holding: string[] = [];
  for (const { name } of tables) {
    const found = `select 1 from ${name} as row where strpos(row::text, $1) > 0 limit 1`;
    if ((await client.unsafe(found, [text])).length > 0) holding.push(name);
  }
  return holding.sort();
};

describe('the redaction of backups', () => {
  test('leaves nothing of the person in any object, journal, table or log line', async () => {
    const { person, server, other } = await newPlace();
    const first = await scene.backups.takeBackup(server, withMessages);
    const guild = await scene.guildOf(server);
    await scene.putGuild(server, {
      ...guild,
      members: guild.members.map((member) =>
        member.user.id === person.platformId ? { ...member, nick: null, roles: [] } : member,
      ),
    });
    // Its journal names the person, and so does the safety snapshot that it takes.
    await scene.backups.restore(server, first.id);
    const second = await scene.backups.takeBackup(server, withMessages);
    expect(await tablesHolding(person.platformId)).toContain('public.restore_steps');
    await scene.erase(person);
    const logged = people.service.logLines.length;
    await redact(server);
    await expectGone(server, person);
    expect(await tablesHolding(person.platformId)).toEqual(['public.audit_entries']);
    expect(await tablesHolding(person.canary)).toEqual([]);
    const log = people.service.logLines.slice(logged).join('\n');
    for (const name of [person.platformId, person.canary]) expect(log).not.toContain(name);
    expect(await redactions(server)).toHaveLength(3);
    for (const before of [first, second]) {
      const after = await scene.backups.read(server, before.id);
      expect(after.checksum).not.toBe(before.checksum);
      expect(after.counts.members).toBe(before.counts.members - 1);
    }
    // Everybody else is still there.
    expect(await scene.objectsHolding(server, other)).not.toEqual([]);
    await redact(server);
    expect(await redactions(server)).toHaveLength(3);
  });

  test('has the backup test-restored anew, and it is as good as before', async () => {
    const { person, server } = await newPlace();
    const { id } = await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    const seen: (boolean | null)[] = [];
    await redact(server, {
      async onRedacted(tx, owner) {
        seen.push((await findBackup(tx, owner))?.restorable ?? null);
        await people.service.queue.enqueue(tx, proveBackup, owner);
      },
    });
    expect(seen).toEqual([null]);
    await eventually(20_000, async () => {
      expect((await scene.backups.read(server, id)).restorable).toBe(true);
    });
    expect((await scene.backups.restore(server, id)).error).toBeNull();
  });

  test('keeps bans and denials, with the platform id alone', async () => {
    const { person, server, channelId } = await newPlace();
    const guild = await scene.guildOf(server);
    const denial = { id: person.platformId, type: 1, allow: '2048', deny: '1024' };
    await scene.putGuild(server, {
      ...guild,
      members: guild.members.filter(({ user }) => user.id !== person.platformId),
      bans: [{ user: { id: person.platformId }, reason: `${person.canary} was rude` }],
      channels: guild.channels.map((channel) =>
        channel.id === channelId
          ? { ...channel, topic: null, permission_overwrites: [denial] }
          : channel,
      ),
      messages: [],
    });
    const { id } = await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    await redact(server);
    await free(server);
    const left = (await scene.objectsHolding(server, person.platformId)).join('\n');
    expect(left).toContain(`{"reason":null,"userId":"${person.platformId}"}`);
    expect(left).toContain(
      `{"allow":"0","deny":"1024","id":"${person.platformId}","kind":"member"}`,
    );
    expect(await scene.objectsHolding(server, person.canary)).toEqual([]);
    await scene.putGuild(server, { ...(await scene.guildOf(server)), bans: [] });
    await scene.backups.restore(server, id);
    const { bans } = await scene.guildOf(server);
    expect(bans.map(({ user }) => user.id)).toEqual([person.platformId]);
    await redact(server);
    expect(await redactions(server)).not.toHaveLength(0);
  });

  test('waits for a restore that reads the backup', async () => {
    const { person, server } = await newPlace();
    const { id, checksum } = await scene.backups.takeBackup(server);
    await scene.erase(person);
    const inUse = { isBackupInUse: async () => true };
    await redact(server, inUse);
    expect((await scene.backups.read(server, id)).checksum).toBe(checksum);
    expect(await redactions(server)).toHaveLength(0);
    await redact(server);
    expect((await scene.backups.read(server, id)).checksum).not.toBe(checksum);
    await expectGone(server, person);
  });

  test('reaches what was stored before there was an index', async () => {
    const { person, server } = await newPlace();
    await scene.backups.takeBackup(server, withMessages);
    const { db } = people.service;
    const { userId } = server.tenant;
    await db.$client`update blobs set is_indexed = false where user_id = ${userId}`;
    await db.$client`delete from blob_people where user_id = ${userId}`;
    await scene.erase(person);
    await indexBackups(people.service, neverAborted);
    const [open] = await db.$client`select count(*)::int as n from blobs where not is_indexed`;
    expect(open.n).toBe(0);
    await redact(server);
    await expectGone(server, person);
  });

  test('spares what is saved after the person verified again', async () => {
    const { person, server } = await newPlace();
    const { id: before } = await scene.backups.takeBackup(server);
    await scene.erase(person);
    const { platformId } = person;
    const { userId } = server.tenant;
    const { db, ring } = people.service;
    await db.transaction((tx) => liftErasureOf(tx, ring, { userId, platformId }));
    const { id: after } = await scene.backups.takeBackup(server);
    await redact(server);
    expect(await scene.objectsHolding(server, platformId, before)).toEqual([]);
    expect(await scene.objectsHolding(server, platformId, after)).not.toEqual([]);
    // Erasing once more reaches that one too.
    await scene.erase(person);
    await redact(server);
    await expectGone(server, person);
  });

  test('killed at any step goes on and loses nothing', async () => {
    const { person, server } = await newPlace();
    const { id } = await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    let deaths = 0;
    for (let deathAt = 1; await redactUntilDeath(server, deathAt); deathAt += 3) {
      deaths++;
      // Whatever it left behind, the backup is whole: its objects are there, as its checksum says.
      expect((await scene.backups.read(server, id)).status).toBe('completed');
      if (deaths > 60) throw new Error('The redaction never ends');
    }
    expect(deaths).toBeGreaterThan(5);
    await redact(server);
    await expectGone(server, person);
    expect(await redactions(server)).toHaveLength(1);
    expect((await scene.backups.restore(server, id)).error).toBeNull();
  }, 60_000);
});

const redactUntilDeath = async (server: OwnedGuild, deathAt: number): Promise<boolean> => {
  const { service } = people;
  const { db, around, died, close } = createMortal(service.databaseUrl, deathAt);
  const store = mortalStore(openBlobStore({ dataDir: service.dataDir }), around);
  const blobs = createSealedBlobs(store, service.ring);
  const redacting = redact(server, { db, blobs }).then(() => 'done' as const);
  const end = await Promise.race([redacting.catch(() => died), died]);
  if (end === 'done') await close();
  return end === 'dead';
};
