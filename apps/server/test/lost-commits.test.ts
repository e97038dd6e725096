import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Endpoint, type EndpointName, endpoints, isAudited } from '@holdfast/contract';
import { SQL } from 'bun';
import { cardEvent, newRef, sendCard } from './harness/billing/events.ts';
import { freshDatabase } from './harness/database.ts';
import { loseFirstCommits, prepareLostAudits } from './harness/database-faults/triggers.ts';
import { send } from './harness/endpoints/sample-records.ts';
import { samples } from './harness/endpoints/samples.ts';
import { plansWithoutRateLimit, startTestService, type TestService } from './harness/service.ts';

let service: TestService;
let sql: SQL;
let loseAuditsOf: Awaited<ReturnType<typeof prepareLostAudits>>;

beforeAll(async () => {
  const databaseUrl = await freshDatabase();
  sql = new SQL(databaseUrl, { max: 2 });
  await loseFirstCommits(sql, 'billing_events');
  loseAuditsOf = await prepareLostAudits(sql);
  service = await startTestService({
    ...{ databaseUrl, plans: plansWithoutRateLimit, doesWork: ['backups.run'] },
  });
});
afterAll(async () => {
  await service.stop();
  await sql.close();
});

/** What was done to what, in the order of the chain. */
const listAudited = async (accountId: string): Promise<string[]> => {
  const rows: { told: string }[] = await sql`select concat(action, ' ', subject_id) as told
    from audit_entries where account_id = ${accountId} order by seq`;
  return rows.map(({ told }) => told);
};

// Object.entries widens the names; they are the contract's own.
const changes = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(([, entry]) =>
  isAudited(entry),
);

describe.each(changes)('%s', (name, entry) => {
  test('is done once though its transaction is lost to another at first', async () => {
    const owner = await service.newTenant();
    const sample = await samples[name](owner);
    const before = (await listAudited(owner.accountId)).length;
    const { countTried } = await loseAuditsOf(owner.accountId);
    const reply = await send(owner, name, sample);
    expect(reply.body).not.toHaveProperty('error');
    expect(reply.status).toBe(entry.status);
    expect(await countTried()).toBeGreaterThan(1);
    const audited = (await listAudited(owner.accountId)).slice(before);
    expect(audited.length).toBeGreaterThan(0);
    expect(new Set(audited).size).toBe(audited.length);
  });
});

test('a billing event whose transaction is lost at first is told of once', async () => {
  const charge = newRef('ch');
  const refund = { id: charge, customer: newRef('cus'), amount_refunded: 5, currency: 'usd' };
  const reply = await sendCard(service, cardEvent('charge.refunded', refund));
  expect(reply.status).toBe(200);
  const lines = service.logLines.filter((line) => line.includes('a billing event changed nothing'));
  expect(lines.filter((line) => line.includes(charge))).toHaveLength(1);
});
