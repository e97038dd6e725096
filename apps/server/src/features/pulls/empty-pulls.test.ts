import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Plans } from '@holdfast/contract';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

const clients = 12;
const rounds = 12;

let service: TestService;

beforeAll(async () => {
  // All requests come from one account; its rate limit and cooldown are not tested here.
  const plans = Object.fromEntries(
    Object.entries(plansWithoutRateLimit).map(([plan, limits]) => [
      plan,
      { ...limits, pullCooldownMs: 0, apiRatePerTenSeconds: 1e6 },
    ]),
  ) as Plans;
  service = await startTestService({ plans, doesWork: ['pulls.run'] });
});
afterAll(() => service.stop());

const deadlocks = async (): Promise<number> => {
  const sql = service.db.$client;
  // Sessions report their counts when they are idle for a moment, or when this asks for it.
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql`select deadlocks::int as n from pg_stat_database
    where datname = current_database()`;
  return row.n;
};

test('twelve clients who pull an empty server again and again cause no deadlock', async () => {
  const tenant = await service.newTenant();
  const path = `/api/v1/servers/${await createServer(tenant)}/pull`;
  const before = await deadlocks();
  const statuses = new Map<number, number>();
  const pullAgain = async () => {
    for (let round = 0; round < rounds; round++) {
      const { status } = await tenant.call('POST', path, { body: {} });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, pullAgain));
  // Created, one under way, cooldown, or too many requests at once: nothing else.
  expect([...statuses.keys()].filter((status) => ![202, 409, 429].includes(status))).toEqual([]);
  expect(statuses.get(202)).toBeGreaterThan(1);
  expect(await deadlocks()).toBe(before);
});
