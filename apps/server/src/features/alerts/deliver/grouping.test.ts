import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { closeDatabase, connectDatabase, type Database } from '../../../db/connect.ts';
import { deliverAlertsJob } from '../jobs.ts';
import { takeMessageToSend } from '../queries/messages.ts';
import { raiseAlert } from './raise-alert.ts';

const workers = 4;

let service: TestService;
/** The connections of several processes. */
let pools: Database[];
beforeAll(async () => {
  service = await startTestService();
  const { databaseUrl } = service;
  pools = Array.from({ length: workers }, (_, worker) =>
    connectDatabase(databaseUrl, { name: `holdfast-test-${worker}`, poolSize: 4 }),
  );
});
afterAll(async () => {
  for (const pool of pools) await closeDatabase(pool);
  await service.stop();
});

type Group = { accountId: string; serverId: string };

const poolOf = (at: number): Database => pools[at % workers] ?? service.db;

const raise = ({ accountId, serverId }: Group, at: number, db = poolOf(at)) =>
  db.transaction((tx) =>
    raiseAlert(tx, service, {
      ...{ accountId, serverId, kind: 'BACKUP_FAILED' },
      facts: { backupId: crypto.randomUUID(), error: 'The bot is switched off' },
    }),
  );

/** What a worker does with the job of one alert. */
const deliver = async (group: Group, at: number, isFollowUp = false): Promise<void> => {
  const job = deliverAlertsJob({ db: poolOf(at), queue: service.queue });
  if (job.subjectOf) throw new Error('It needs no lease');
  const payload = { ...group, kind: 'BACKUP_FAILED', way: 'email', isFollowUp } as const;
  await job.run(payload, new AbortController().signal);
};

const times = <Result>(count: number, run: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, at) => run(at)));

const messagesOf = async ({ accountId }: Group): Promise<number[]> => {
  const rows = await service.db.$client`
    select alert_count from alert_messages where account_id = ${accountId} order by created_at`;
  return rows.map(({ alert_count }: { alert_count: number }) => alert_count);
};

const jobsOf = async ({ accountId }: Group, name: string, isLater: boolean): Promise<number> => {
  const [row] = await service.db.$client`
    select count(*)::int as jobs from pgboss.job
    where name = ${name} and data ->> 'accountId' = ${accountId}
      and (start_after > now() + interval '5 minutes') = ${isLater}`;
  return row.jobs;
};

const waitingOf = async ({ accountId }: Group): Promise<number> => {
  const [row] = await service.db.$client`
    select count(*)::int as waiting from alerts
    where account_id = ${accountId} and is_mail_waiting`;
  return row.waiting;
};

const newestMessage = async ({ accountId }: Group) => {
  const [row] = await service.db.$client`
    select id from alert_messages where account_id = ${accountId} order by created_at desc limit 1`;
  return { accountId, messageId: String(row.id) };
};

/** What the job of each message does once the mail server has taken it. */
const send = ({ accountId }: Group) => service.db.$client`
  update alert_messages set sent_at = coalesce(sent_at, clock_timestamp())
  where account_id = ${accountId}`;

const passTenMinutes = ({ accountId }: Group) => service.db.$client`
  update alert_messages set created_at = created_at - interval '10 minutes',
    tried_at = tried_at - interval '10 minutes', sent_at = sent_at - interval '10 minutes'
  where account_id = ${accountId}`;

const newGroup = async (owner?: OwnTenant): Promise<Group> => {
  const tenant = owner ?? (await service.newTenant());
  return { accountId: tenant.accountId, serverId: await createServer(tenant) };
};

test('forty alerts that four workers deliver at once make one mail in ten minutes, and then one for all the others', async () => {
  const group = await newGroup();
  await times(40, async (at) => {
    await raise(group, at);
    await deliver(group, at + 1);
  });
  const [first = 0, ...others] = await messagesOf(group);
  expect(others).toEqual([]);
  expect(first + (await waitingOf(group))).toBe(40);
  expect(await jobsOf(group, 'alerts.send-mail', false)).toBe(1);
  // One of the jobs that found others waiting comes back.
  await raise(group, 0);
  await times(workers, (at) => deliver(group, at));
  expect(await jobsOf(group, 'alerts.deliver', true)).toBe(1);

  await send(group);
  await passTenMinutes(group);
  await times(workers, (at) => deliver(group, at, true));
  expect(await messagesOf(group)).toEqual([first, 41 - first]);
  expect(await waitingOf(group)).toBe(0);
  expect(await jobsOf(group, 'alerts.send-mail', false)).toBe(2);

  await raise(group, 0);
  await times(workers, (at) => deliver(group, at));
  expect(await messagesOf(group)).toHaveLength(2);
  await send(group);
  await passTenMinutes(group);
  await times(workers, (at) => deliver(group, at, true));
  expect(await messagesOf(group)).toEqual([first, 41 - first, 1]);
});

test('a job that comes back too early comes back once more', async () => {
  const group = await newGroup();
  for (let made = 0; made < 2; made++) {
    await raise(group, made);
    await deliver(group, made);
  }
  expect(await jobsOf(group, 'alerts.deliver', true)).toBe(1);
  await deliver(group, 0, true);
  expect(await jobsOf(group, 'alerts.deliver', true)).toBe(2);
  expect(await waitingOf(group)).toBe(1);
});

test('while a mail cannot be sent no other is made, so that two do not arrive at once', async () => {
  const group = await newGroup();
  await raise(group, 0);
  await deliver(group, 0);
  await passTenMinutes(group);
  await raise(group, 1);
  await times(workers, (at) => deliver(group, at, true));
  expect([await messagesOf(group), await waitingOf(group)]).toEqual([[1], 1]);
  await send(group);
  await times(workers, (at) => deliver(group, at, true));
  expect(await messagesOf(group)).toEqual([1]);
  await passTenMinutes(group);
  await times(workers, (at) => deliver(group, at, true));
  expect(await messagesOf(group)).toEqual([1, 1]);
});

test('one that nobody tries to send any more is given up: the next stands for its alerts, and its own job finds nothing', async () => {
  const group = await newGroup();
  await raise(group, 0);
  await deliver(group, 0);
  const given = await newestMessage(group);
  for (let passed = 0; passed < 2; passed++) await passTenMinutes(group);
  expect(await takeMessageToSend(service.db, given)).toBeDefined();
  await passTenMinutes(group);
  await raise(group, 1);
  // It was tried ten minutes ago, so it may still arrive.
  await times(workers, (at) => deliver(group, at));
  expect([await messagesOf(group), await waitingOf(group)]).toEqual([[1], 1]);
  for (let passed = 0; passed < 2; passed++) await passTenMinutes(group);
  await times(workers, (at) => deliver(group, at, true));
  expect([await messagesOf(group), await waitingOf(group)]).toEqual([[2], 0]);
  expect(await takeMessageToSend(service.db, given)).toBeUndefined();
  expect(await takeMessageToSend(service.db, await newestMessage(group))).toMatchObject({
    alertCount: 2,
  });
});

test('one that is tried at the moment in which it would be given up stays the only one', async () => {
  const group = await newGroup();
  await raise(group, 0);
  await deliver(group, 0);
  const given = await newestMessage(group);
  for (let passed = 0; passed < 4; passed++) await passTenMinutes(group);
  await raise(group, 1);
  const delivery = await poolOf(0).transaction(async (tx) => {
    expect(await takeMessageToSend(tx, given)).toBeDefined();
    const delivering = deliver(group, 1, true);
    await eventually(20_000, async () => {
      const waiting = await service.db.$client`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%alert_messages%'`;
      expect(waiting).toHaveLength(1);
    });
    return { delivering };
  });
  await delivery.delivering;
  expect([await messagesOf(group), await waitingOf(group)]).toEqual([[1], 1]);
});

test('a clock that is set back holds no mail up, and the limit holds after it as before', async () => {
  const group = await newGroup();
  const tell = async () => {
    await raise(group, 0);
    await deliver(group, 0);
    await send(group);
    return (await messagesOf(group)).length;
  };
  expect(await tell()).toBe(1);
  await service.db.$client`
    update alert_messages set created_at = created_at + interval '1 day',
      tried_at = tried_at + interval '1 day', sent_at = sent_at + interval '1 day'
    where account_id = ${group.accountId}`;
  expect(await tell()).toBe(2);
  expect(await tell()).toBe(2);
});

test('each server has its own mails', async () => {
  const owner = await service.newTenant();
  const groups = [await newGroup(owner), await newGroup(owner)];
  for (const group of groups) {
    await raise(group, 0);
    await deliver(group, 1);
  }
  expect(await messagesOf({ accountId: owner.accountId, serverId: '' })).toEqual([1, 1]);
});

test('what an owner has switched off since is not sent', async () => {
  const owner = await service.newTenant();
  const group = await newGroup(owner);
  await raise(group, 0);
  const body = { BACKUP_FAILED: { email: false, channel: false, dashboard: true } };
  await owner.call('PUT', '/api/v1/alerts/settings', { body });
  await deliver(group, 0);
  await raise(group, 1);
  expect([await messagesOf(group), await waitingOf(group)]).toEqual([[], 0]);
  expect(await jobsOf(group, 'alerts.deliver', false)).toBe(1);
  expect((await owner.call('GET', '/api/v1/alerts')).body.pagination.total).toBe(2);
});

test('an alert is raised with its cause or not at all, and not for a deleted account', async () => {
  const owner = await service.newTenant();
  const group = await newGroup(owner);
  const rolledBack = service.db.transaction(async (tx) => {
    await raiseAlert(tx, service, {
      ...{ accountId: owner.accountId, serverId: null, kind: 'BOT_REFUSED' },
      facts: { botName: 'Gatekeeper', refused: 'TOKEN' },
    });
    throw new Error('The cause failed');
  });
  await expect(rolledBack).rejects.toThrow('The cause failed');
  expect(await jobsOf(group, 'alerts.deliver', false)).toBe(0);
  const body = { confirm: `user-${owner.platformId}` };
  expect((await owner.call('DELETE', '/api/v1/account', { body })).status).toBe(200);
  await raise(group, 0);
  const rows = await service.db.$client`select from alerts where account_id = ${owner.accountId}`;
  expect(rows).toHaveLength(0);
});
