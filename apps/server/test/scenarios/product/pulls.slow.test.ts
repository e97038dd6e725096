// Takes about 22 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { SQL } from 'bun';
import { createServer } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  type CreatedKey,
  connectSql,
  createKey,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import type { Reply, Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

/** Nobody works here: what is asked for stays queued, and can be looked at. */
let env: Record<string, string>;
let services: [ServiceProcess, ServiceProcess];
let created: CreatedKey;
let sql: SQL;

beforeAll(async () => {
  const DATABASE_URL = await freshDatabase();
  env = { DATABASE_URL, PLANS_FILE: await makePlansFile(), ROLE: 'api' };
  services = await Promise.all([startService(env), startService(env)]);
  created = await createKey(DATABASE_URL, { plan: 'BUSINESS' });
  sql = connectSql(DATABASE_URL);
});
afterAll(stopServices);

const first = (): Tenant => tenantAt(services[0].url, created);
const second = (): Tenant => tenantAt(services[1].url, created);

const ask = (tenant: Tenant, serverId: string, headers: Record<string, string> = {}) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/pull`, { headers });

/** Whether there is a pull of the server, with all that belongs to it, or nothing at all. */
const expectAllOrNothing = async (serverId: string): Promise<{ pullId?: string }> => {
  const [found] = await sql`
    select (select array_agg(id) from pulls where server_id = ${serverId}) as pulls,
      (select array_agg(pull_id) from pull_cooldowns where server_id = ${serverId}) as cooldowns,
      (select array_agg((data ->> 'pullId')::uuid) from pgboss.job
        where name = 'pulls.run' and (data ->> 'pullId')::uuid in
          (select pull_id from pull_cooldowns where server_id = ${serverId}
            union select id from pulls where server_id = ${serverId})) as jobs,
      (select array_agg(subject_id::uuid) from audit_entries
        where action = 'pull.create' and changes ->> 'serverId' = ${serverId}) as told`;
  const pullId: string | undefined = found.pulls?.[0];
  const only = pullId === undefined ? null : [pullId];
  expect(found).toEqual({ pulls: only, cooldowns: only, jobs: only, told: only });
  return { pullId };
};

describe('of ten pulls of one server asked for at once, at two processes', () => {
  test('one is accepted, and nine are told when they can come back', async () => {
    const serverId = await createServer(first());
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) => ask(at % 2 ? first() : second(), serverId)),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([202, ...Array(9).fill(429)]);
    const { pullId } = await expectAllOrNothing(serverId);
    const accepted = replies.filter(({ status }) => status === 202);
    expect(accepted.map(({ body }) => body.data.id)).toEqual([pullId]);
    for (const refused of replies.filter(({ status }) => status === 429)) expectLater(refused);
  });

  const halfAnHourS = 30 * 60;
  const expectLater = ({ headers, body }: Reply) => {
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeWithin(halfAnHourS - 60, halfAnHourS + 1);
    const waitMs = Date.parse(body.nextPullAt) - Date.now();
    expect(waitMs).toBeWithin((halfAnHourS - 60) * 1000, halfAnHourS * 1000 + 1);
  };
});

describe('a process that is killed while it answers a request for a pull', () => {
  const killAndRestart = async () => {
    services[0].kill('SIGKILL');
    await services[0].exited;
    services[0] = await startService(env);
  };

  const untilWaiting = (what: 'Lock' | 'Timeout') =>
    eventually(10_000, async () => {
      const waiting = await sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = ${what}`;
      expect(waiting).toHaveLength(1);
    });

  test('before it commits leaves nothing behind, and the pull can be asked for again', async () => {
    const serverId = await createServer(first());
    const hold = await sql.reserve();
    await hold`begin`;
    await hold`select from audit_heads where account_id = ${created.accountId} for update`;
    const asked = ask(first(), serverId).catch(() => 'unanswered');
    await untilWaiting('Lock');
    const restarted = killAndRestart();
    expect(await asked).toBe('unanswered');
    await hold`rollback`;
    hold.release();
    await restarted;
    expect(await expectAllOrNothing(serverId)).toEqual({ pullId: undefined });
    expect((await ask(first(), serverId)).status).toBe(202);
    await expectAllOrNothing(serverId);
  });

  test('while it commits leaves one pull, which a repeat of the request finds', async () => {
    const serverId = await createServer(first());
    await lingerAtCommits();
    const sameRequest = { 'idempotency-key': crypto.randomUUID() };
    const asked = ask(first(), serverId, sameRequest).catch(() => 'unanswered');
    await untilWaiting('Timeout');
    await killAndRestart();
    expect(await asked).toBe('unanswered');
    await eventually(10_000, async () => {
      expect((await expectAllOrNothing(serverId)).pullId).toBeDefined();
    });
    await sql`drop trigger linger on pulls`;
    const { pullId } = await expectAllOrNothing(serverId);
    const again = await ask(first(), serverId, sameRequest);
    expect(again.status).toBe(202);
    expect(again.body.data.id).toBe(pullId);
    expect((await ask(first(), serverId)).status).toBe(429);
    await expectAllOrNothing(serverId);
  });

  /** Whoever commits a new pull takes a while, so that there is time to die in. */
  const lingerAtCommits = () =>
    sql`
      create function linger() returns trigger language plpgsql as $$
        begin perform pg_sleep(1.5); return null; end $$;
      create constraint trigger linger after insert on pulls deferrable initially deferred
        for each row execute function linger();`.simple();

  test('at any moment leaves one or none, and one where it was accepted', async () => {
    const serverIds: string[] = [];
    for (let made = 0; made < 20; made++) serverIds.push(await createServer(first()));
    const asked = serverIds.map(async (serverId) => {
      await Bun.sleep(Math.random() * 300);
      return ask(first(), serverId).then(
        ({ status }) => status,
        () => 'unanswered',
      );
    });
    await Promise.race(asked);
    await Bun.sleep(Math.random() * 100);
    await killAndRestart();
    const answers = await Promise.all(asked);
    expect(answers).toContain('unanswered');
    for (const [at, serverId] of serverIds.entries()) {
      const { pullId } = await expectAllOrNothing(serverId);
      if (answers[at] === 202) expect(pullId).toBeDefined();
      else expect(answers[at]).toBe('unanswered');
      const expected = pullId === undefined ? 202 : 429;
      expect((await ask(first(), serverId)).status).toBe(expected);
      await expectAllOrNothing(serverId);
    }
  });
});
