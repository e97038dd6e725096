import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { OwnedGuild } from '../../../../test/harness/backups/fixture.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import {
  createRedactionFixture,
  neverAborted,
  type RedactionFixture,
  withMessages,
} from '../../../../test/harness/erasure/redaction.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { testBackup } from '../../restores/jobs.ts';
import { findBackup } from '../queries.ts';
import { liftErasure } from './erasures.ts';
import { indexBackups } from './index-backups.ts';

let people: PeopleFixture;
let fixture: RedactionFixture;
beforeAll(async () => {
  people = await startPeopleFixture({
    doesWork: ['backups.run', 'restores.run', 'restores.test-backup'],
  });
  fixture = createRedactionFixture(people);
});
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
    const { person, server, other } = await fixture.newPersonOnServer();
    const first = await fixture.backups.takeBackup(server, withMessages);
    const guild = await fixture.guildOf(server);
    await fixture.putGuild(server, {
      ...guild,
      members: guild.members.map((member) =>
        member.user.id === person.platformId ? { ...member, nick: null, roles: [] } : member,
      ),
    });
    // Its journal names the person, and so does the safety backup that it takes.
    await fixture.backups.restore(server, first.id);
    const second = await fixture.backups.takeBackup(server, withMessages);
    expect(await tablesHolding(person.platformId)).toContain('public.restore_steps');
    await fixture.erase(person);
    const logged = people.service.logLines.length;
    await fixture.redact(server);
    await fixture.expectGone(server, person);
    expect(await tablesHolding(person.platformId)).toEqual(['public.audit_entries']);
    expect(await tablesHolding(person.canary)).toEqual([]);
    const log = people.service.logLines.slice(logged).join('\n');
    for (const name of [person.platformId, person.canary]) expect(log).not.toContain(name);
    expect(await fixture.redactions(server)).toHaveLength(3);
    for (const before of [first, second]) {
      const after = await fixture.backups.read(server, before.id);
      expect(after.checksum).not.toBe(before.checksum);
      expect(after.counts.members).toBe(before.counts.members - 1);
    }
    // Everybody else is still there.
    expect(await fixture.objectsHolding(server, other)).not.toEqual([]);
    await fixture.redact(server);
    expect(await fixture.redactions(server)).toHaveLength(3);
  });

  test('has the backup test-restored again, with the same result', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    const { id } = await fixture.backups.takeBackup(server, withMessages);
    await fixture.erase(person);
    const seen: (boolean | null)[] = [];
    await fixture.redact(server, {
      async onRedacted(tx, owner) {
        seen.push((await findBackup(tx, owner))?.restorable ?? null);
        await people.service.queue.enqueue(tx, testBackup, owner);
      },
    });
    expect(seen).toEqual([null]);
    await eventually(20_000, async () => {
      expect((await fixture.backups.read(server, id)).restorable).toBe(true);
    });
    expect((await fixture.backups.restore(server, id)).error).toBeNull();
  });

  test('keeps bans and denials, with the platform id alone', async () => {
    const { person, server, channelId } = await fixture.newPersonOnServer();
    const guild = await fixture.guildOf(server);
    const denial = { id: person.platformId, type: 1, allow: '2048', deny: '1024' };
    await fixture.putGuild(server, {
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
    const { id } = await fixture.backups.takeBackup(server, withMessages);
    await fixture.erase(person);
    await fixture.redact(server);
    await fixture.free(server);
    const left = (await fixture.objectsHolding(server, person.platformId)).join('\n');
    expect(left).toContain(`{"reason":null,"userId":"${person.platformId}"}`);
    expect(left).toContain(
      `{"allow":"0","deny":"1024","id":"${person.platformId}","kind":"member"}`,
    );
    expect(await fixture.objectsHolding(server, person.canary)).toEqual([]);
    await fixture.putGuild(server, { ...(await fixture.guildOf(server)), bans: [] });
    await fixture.backups.restore(server, id);
    const { bans } = await fixture.guildOf(server);
    expect(bans.map(({ user }) => user.id)).toEqual([person.platformId]);
    await fixture.redact(server);
    expect(await fixture.redactions(server)).not.toHaveLength(0);
  });

  test('waits for a restore that is being asked for at the same moment', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    const { id, checksum } = await fixture.backups.takeBackup(server);
    await fixture.erase(person);
    const { $client: client } = people.service.db;
    const asking = await askForRestore(server, id);
    const redacting = fixture.redact(server);
    await eventually(20_000, async () => {
      const waiting = await client`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query ilike '%from "backups"%for update%'`;
      expect(waiting).toHaveLength(1);
    });
    await asking.commit();
    await redacting;
    expect((await fixture.backups.read(server, id)).checksum).toBe(checksum);
    expect(await fixture.redactions(server)).toHaveLength(0);
    // It did not even begin while the restore is under way.
    await fixture.redact(server);
    expect((await fixture.backups.read(server, id)).checksum).toBe(checksum);
    await client`update restores set status = 'cancelled', held_backup_id = null
      where backup_id = ${id}`;
    await fixture.redact(server);
    expect((await fixture.backups.read(server, id)).checksum).not.toBe(checksum);
    await fixture.expectGone(server, person);
  });

  test('reaches what was stored before there was an index', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    await fixture.backups.takeBackup(server, withMessages);
    const { db } = people.service;
    const { accountId } = server.tenant;
    await db.$client`update blobs set is_indexed = false where account_id = ${accountId}`;
    await db.$client`delete from blob_people where account_id = ${accountId}`;
    await fixture.erase(person);
    await indexBackups(people.service, neverAborted);
    const [open] = await db.$client`select count(*)::int as n from blobs where not is_indexed`;
    expect(open.n).toBe(0);
    await fixture.redact(server);
    await fixture.expectGone(server, person);
  });

  test('spares what is saved after the person verified again', async () => {
    const { person, server } = await fixture.newPersonOnServer();
    const { id: before } = await fixture.backups.takeBackup(server);
    await fixture.erase(person);
    const { platformId } = person;
    const { accountId } = server.tenant;
    const { db, ring } = people.service;
    await db.transaction((tx) => liftErasure(tx, ring, { accountId, platformId }));
    const { id: after } = await fixture.backups.takeBackup(server);
    await fixture.redact(server);
    expect(await fixture.objectsHolding(server, platformId, before)).toEqual([]);
    expect(await fixture.objectsHolding(server, platformId, after)).not.toEqual([]);
    // Erasing once more reaches that one too.
    await fixture.erase(person);
    await fixture.redact(server);
    await fixture.expectGone(server, person);
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
