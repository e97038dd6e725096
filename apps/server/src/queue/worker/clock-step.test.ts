import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Queue, startQueue } from '../queue.ts';
import { followClockStepBack } from './clock-step.ts';

const job = { name: 'test.stepped', payload: z.object({}) };
const logLines: string[] = [];
const log = createLog({ write: (line) => logLines.push(line) });

let db: Database;
let sql: SQL;
let queue: Queue;
beforeAll(async () => {
  const url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  sql = new SQL(url, { max: 1 });
  queue = await startQueue([job], { url, isWorker: false, log, metrics: createMetrics() });
});
afterAll(async () => {
  await queue.stop();
  await Promise.all([closeDatabase(db), sql.close()]);
});

/** Everything as it would stand in the tables if the clock had been set back by an hour. */
const standAnHourAhead = async () => {
  await sql`update pgboss.version set cron_on = now() + interval '1 hour'`;
  await sql`update pgboss.queue set monitor_on = now() + interval '1 hour' where name = ${job.name}`;
  await sql`insert into pgboss.job (name, data, state, start_after, singleton_on)
    values (${job.name}, '{"is": "old"}', 'retry', now() + interval '1 hour 5 seconds', null),
           (${job.name}, '{"is": "new"}', 'created', now() + interval '10 seconds', null),
           (${job.name}, '{"is": "past"}', 'completed', now(),
             (now() + interval '30 minutes') at time zone 'utc')`;
  await sql`insert into job_leases (subject, queue, payload, job_id, worker_id, fence, until)
    values ('dead', ${job.name}, '{}', gen_random_uuid(), 'dead', 1, now() + interval '1 hour 15 seconds'),
           ('alive', ${job.name}, '{}', gen_random_uuid(), 'alive', 2, now() + interval '20 seconds')`;
};

test('a database whose clock was set back an hour delays no schedule, retry or lease', async () => {
  await followClockStepBack(db, log);
  expect(logLines.join('')).not.toContain('set back');
  await standAnHourAhead();
  await Promise.all([
    followClockStepBack(db, log),
    followClockStepBack(db, log),
    followClockStepBack(db, log),
  ]);

  const [claims] = await sql`select cron_on <= now() as past from pgboss.version`;
  expect(claims).toEqual({ past: true });
  const [monitor] =
    await sql`select monitor_on <= now() as past from pgboss.queue where name = ${job.name}`;
  expect(monitor).toEqual({ past: true });
  const jobs = await sql`
    select data ->> 'is' as is, start_after < now() + interval '20 seconds' as soon,
      start_after > now() as later, singleton_on from pgboss.job where name = ${job.name} order by 1`;
  expect([...jobs]).toMatchObject([
    { is: 'new', soon: true, later: true },
    { is: 'old', soon: true },
    { is: 'past', singleton_on: null },
  ]);
  const leases = await sql`
    select subject, until < now() + interval '30 seconds' as soon, until > now() as held
    from job_leases order by 1`;
  expect([...leases]).toMatchObject([
    { subject: 'alive', soon: true, held: true },
    { subject: 'dead', soon: true },
  ]);
  expect(logLines.filter((line) => line.includes('set back'))).toHaveLength(1);
  await followClockStepBack(db, log);
  expect(logLines.filter((line) => line.includes('set back'))).toHaveLength(1);
});
