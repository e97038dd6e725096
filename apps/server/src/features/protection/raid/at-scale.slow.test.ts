// Takes about 40 s: started before shorter ones.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { storeWave } from '../../../../test/harness/protection.ts';
import {
  honest,
  type RaidFixture,
  type RaidServer,
  raider,
  startRaidFixture,
} from '../../../../test/harness/raids.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { listJoinsOfPerson } from '../queries/person.ts';
import { isHeld } from './queries/review.ts';
import { endWavesJob, tendWavesJob } from './tend-waves.ts';

let fixture: RaidFixture;
let server: RaidServer;
let incidentId: string;
let forgottenId: string;

/** It may take longer than those of the service, and nothing is checked by row. */
const untimed = (strings: TemplateStringsArray, ...values: unknown[]): Promise<void> =>
  fixture.db.$client.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await tx`set local session_replication_role = replica`;
    await tx(strings, ...values);
  });

/** The people of a wave, most of whom are held. */
const storePeople = async (
  { owner, serverId }: RaidServer,
  ofIncident: string,
  people: number,
): Promise<void> => {
  await untimed`
    insert into raid_newcomers (server_id, platform_id, account_id, incident_id, username, joined_at,
      is_young, has_picture, name_key, score, status)
    select ${serverId}, (200000000000000000 + n * 7)::text, ${owner.accountId}, ${ofIncident},
      'name_' || n, now() - n * interval '1 millisecond', n % 2 = 0, n % 3 = 0, 'key' || n % 5000,
      50 + n % 40, case when n % 10 = 0 then 'seen' else 'held' end
    from generate_series(1, ${people}) as n`;
};

/** People of a wave that ended long ago. */
const storeForgotten = async (people: number): Promise<string> => {
  const old = await fixture.newServer();
  const of = { db: fixture.db, accountId: old.owner.accountId };
  const id = await storeWave(of, old.serverId);
  await fixture.db.$client`update incidents set status = 'dismissed',
    ended_at = now() - interval '31 days' where id = ${id}`;
  await storePeople(old, id, people);
  return id;
};

const countNewcomers = async (): Promise<{ all: number; forgotten: number }> => {
  const [counts] = await fixture.db.$client`select count(*)::int as all,
    (count(*) filter (where incident_id = ${forgottenId}))::int as forgotten from raid_newcomers`;
  return counts;
};

const storeMembers = async ({ owner, serverId }: RaidServer, people: number): Promise<void> => {
  // The index for searches would take most of the time, and nothing here searches.
  await fixture.db.$client`drop index members_search`;
  await untimed`
    insert into members (id, account_id, server_id, platform_id, username, search_text)
    select gen_random_uuid(), ${owner.accountId}, ${serverId}, (300000000000000000 + n)::text,
      'member' || n, 'member' || n
    from generate_series(1, ${people}) as n`;
};

/** A live wave of 30,000, nine others of as many, and 300,000 members. */
beforeAll(async () => {
  fixture = await startRaidFixture();
  server = await fixture.newServer();
  incidentId = await storeWave(
    { db: fixture.db, accountId: server.owner.accountId },
    server.serverId,
  );
  await fixture.db.$client`update raid_waves set over_at = null, newcomers = 30000,
    guild_id = ${server.guildId} where incident_id = ${incidentId}`;
  await storePeople(server, incidentId, 30_000);
  for (let other = 0; other < 9; other++) {
    const { owner, serverId, ...rest } = await fixture.newServer();
    const of = { db: fixture.db, accountId: owner.accountId };
    await storePeople({ owner, serverId, ...rest }, await storeWave(of, serverId), 30_000);
  }
  forgottenId = await storeForgotten(3000);
  await storeMembers(server, 300_000);
  await untimed`analyze`;
}, 600_000);
afterAll(() => fixture.stop());

/** How often the whole of a table was read, of those that are large here. */
const wholeReads = async (): Promise<Record<string, number>> => {
  const { $client: client } = fixture.db;
  // A connection tells what it did when it is asked to, or after seconds.
  await Promise.all(
    Array.from({ length: 20 }, () => client`select pg_stat_force_next_flush(), pg_sleep(0.3)`),
  );
  const rows: { relname: string; seq_scan: string }[] = await client`
    select relname, seq_scan from pg_stat_user_tables
    where relname in ('raid_newcomers', 'members') order by relname`;
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
};

const measured = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  const startedAt = performance.now();
  await work();
  process.stdout.write(`${name}: ${(performance.now() - startedAt).toFixed(0)} ms\n`);
};

test('beside 300,000 newcomers and as many members, no whole table is read', async () => {
  const { db, service } = fixture;
  const quiet = await fixture.newServer();
  const someComers = () =>
    Array.from({ length: 50 }, (_, at) => (at % 2 ? raider(at) : honest(at)));
  const jobs = { db, queue: service.queue, clock: systemClock };
  const { signal } = new AbortController();
  const before = await wholeReads();
  await measured('50 join a wave of 30,000', () => fixture.join(server, someComers()));
  await measured('50 join another server', () => fixture.join(quiet, someComers()));
  await measured('first page', () => fixture.newcomersOf(server, incidentId));
  await measured('page 250 of those held', () =>
    fixture.newcomersOf(server, incidentId, 'isHeld=true&page=250&limit=100'),
  );
  await measured('wave with its counts', () => fixture.waveOf(server, incidentId));
  const { accountId } = server.owner;
  const person = { accountId, serverId: server.serverId, platformId: '200000000000000007' };
  await measured('is somebody held', async () => expect(await isHeld(db, person)).toBe(true));
  await measured('what is stored of somebody', () => listJoinsOfPerson(db, person.platformId));
  await measured('waves that are over', () => endWavesJob(jobs).run());
  await measured('what is to be tended', () => tendWavesJob(jobs).run({}, signal));
  expect(await wholeReads()).toEqual(before);
  expect(await countNewcomers()).toEqual({ all: 300_000 + 50 + 50, forgotten: 0 });
});
