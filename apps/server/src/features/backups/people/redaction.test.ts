import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { OwnedGuild } from '../../../../test/backup-scene.ts';
import { eventually } from '../../../../test/eventually.ts';
import { type PeopleScene, startPeopleScene } from '../../../../test/people-scene.ts';
import {
  createRedactionScene,
  neverAborted,
  type RedactionScene,
  withMessages,
} from '../../../../test/redaction-scene.ts';
import { proveBackup } from '../../restores/prove.ts';
import { findBackup } from '../queries.ts';
import { liftErasureOf } from './erasures.ts';
import { indexBackups } from './index-backups.ts';

let people: PeopleScene;
let scene: RedactionScene;
beforeAll(async () => {
  people = await startPeopleScene({ doesWork: ['backups.run', 'restores.run', 'restores.prove'] });
  scene = createRedactionScene(people);
}, 60_000);
afterAll(() => people.stop());

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
    const { person, server, other } = await scene.newPlace();
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
    await scene.redact(server);
    await scene.expectGone(server, person);
    expect(await tablesHolding(person.platformId)).toEqual(['public.audit_entries']);
    expect(await tablesHolding(person.canary)).toEqual([]);
    const log = people.service.logLines.slice(logged).join('\n');
    for (const name of [person.platformId, person.canary]) expect(log).not.toContain(name);
    expect(await scene.redactions(server)).toHaveLength(3);
    for (const before of [first, second]) {
      const after = await scene.backups.read(server, before.id);
      expect(after.checksum).not.toBe(before.checksum);
      expect(after.counts.members).toBe(before.counts.members - 1);
    }
    // Everybody else is still there.
    expect(await scene.objectsHolding(server, other)).not.toEqual([]);
    await scene.redact(server);
    expect(await scene.redactions(server)).toHaveLength(3);
  });

  test('has the backup test-restored anew, and it is as good as before', async () => {
    const { person, server } = await scene.newPlace();
    const { id } = await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    const seen: (boolean | null)[] = [];
    await scene.redact(server, {
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
    const { person, server, channelId } = await scene.newPlace();
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
    await scene.redact(server);
    await scene.free(server);
    const left = (await scene.objectsHolding(server, person.platformId)).join('\n');
    expect(left).toContain(`{"reason":null,"accountId":"${person.platformId}"}`);
    expect(left).toContain(
      `{"allow":"0","deny":"1024","id":"${person.platformId}","kind":"member"}`,
    );
    expect(await scene.objectsHolding(server, person.canary)).toEqual([]);
    await scene.putGuild(server, { ...(await scene.guildOf(server)), bans: [] });
    await scene.backups.restore(server, id);
    const { bans } = await scene.guildOf(server);
    expect(bans.map(({ user }) => user.id)).toEqual([person.platformId]);
    await scene.redact(server);
    expect(await scene.redactions(server)).not.toHaveLength(0);
  });

  test('waits for a restore that is being asked for at the same moment', async () => {
    const { person, server } = await scene.newPlace();
    const { id, checksum } = await scene.backups.takeBackup(server);
    await scene.erase(person);
    const { $client: client } = people.service.db;
    const asking = await askForRestore(server, id);
    const redacting = scene.redact(server);
    await eventually(20_000, async () => {
      const waiting = await client`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query ilike '%from "backups"%for update%'`;
      expect(waiting).toHaveLength(1);
    });
    await asking.commit();
    await redacting;
    expect((await scene.backups.read(server, id)).checksum).toBe(checksum);
    expect(await scene.redactions(server)).toHaveLength(0);
    // It did not even begin while the restore is under way.
    await scene.redact(server);
    expect((await scene.backups.read(server, id)).checksum).toBe(checksum);
    await client`update restores set status = 'cancelled', held_backup_id = null
      where backup_id = ${id}`;
    await scene.redact(server);
    expect((await scene.backups.read(server, id)).checksum).not.toBe(checksum);
    await scene.expectGone(server, person);
  });

  test('reaches what was stored before there was an index', async () => {
    const { person, server } = await scene.newPlace();
    await scene.backups.takeBackup(server, withMessages);
    const { db } = people.service;
    const { accountId } = server.tenant;
    await db.$client`update blobs set is_indexed = false where account_id = ${accountId}`;
    await db.$client`delete from blob_people where account_id = ${accountId}`;
    await scene.erase(person);
    await indexBackups(people.service, neverAborted);
    const [open] = await db.$client`select count(*)::int as n from blobs where not is_indexed`;
    expect(open.n).toBe(0);
    await scene.redact(server);
    await scene.expectGone(server, person);
  });

  test('spares what is saved after the person verified again', async () => {
    const { person, server } = await scene.newPlace();
    const { id: before } = await scene.backups.takeBackup(server);
    await scene.erase(person);
    const { platformId } = person;
    const { accountId } = server.tenant;
    const { db, ring } = people.service;
    await db.transaction((tx) => liftErasureOf(tx, ring, { accountId, platformId }));
    const { id: after } = await scene.backups.takeBackup(server);
    await scene.redact(server);
    expect(await scene.objectsHolding(server, platformId, before)).toEqual([]);
    expect(await scene.objectsHolding(server, platformId, after)).not.toEqual([]);
    // Erasing once more reaches that one too.
    await scene.erase(person);
    await scene.redact(server);
    await scene.expectGone(server, person);
  });
});

/** As the API does it, up to its commit. */
const askForRestore = async ({ serverId, tenant }: OwnedGuild, backupId: string) => {
  const sql = new SQL(people.service.databaseUrl, { max: 1 });
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const asked = sql.begin(async (tx) => {
    await tx`select id from backups where id = ${backupId} for key share`;
    await tx`insert into restores (id, account_id, server_id, backup_id, held_backup_id, components)
      values (${crypto.randomUUID()}, ${tenant.accountId}, ${serverId}, ${backupId}, ${backupId}, '[]')`;
    begun.resolve();
    await ending.promise;
  });
  await begun.promise;
  return {
    async commit() {
      ending.resolve();
      await asked;
      await sql.close();
    },
  };
};
