import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type GatewayFixture,
  startGatewayFixture,
  type TestBot,
} from '../../../../test/harness/gateway.ts';

let fixture: GatewayFixture;
const bots: TestBot[] = [];
beforeAll(async () => {
  fixture = await startGatewayFixture();
  for (let count = 0; count < 6; count++) bots.push(await fixture.newBot());
});
afterEach(() => fixture.stopHolding());
afterAll(() => fixture.stop());

/** How many bots each process holds, fewest first. */
const shares = async (): Promise<number[]> => {
  const rows = await fixture.service.db.$client`
    select count(bot_id)::int as bots from gateway_processes
    left join gateway_connections on process_id = id group by id order by 1`;
  return rows.map((row: { bots: number }) => row.bots);
};

const allConnected = () =>
  eventually(20_000, async () => {
    for (const bot of bots) {
      const { sessions } = await fixture.atGateway(bot);
      expect(sessions).toHaveLength(1);
      expect(sessions[0].isConnected).toBe(true);
      expect((await fixture.record(bot)).connection).toBe('CONNECTED');
    }
  });

test('processes share the bots evenly, and one that stops leaves its sessions to the others', async () => {
  const first = fixture.startHolding();
  await allConnected();
  expect(await shares()).toEqual([6]);
  fixture.startHolding();
  await eventually(20_000, async () => expect(await shares()).toEqual([3, 3]));
  await allConnected();
  await first.stop();
  await eventually(20_000, async () => expect(await shares()).toEqual([6]));
  await allConnected();
  for (const bot of bots) {
    const { identifies, resumes } = await fixture.atGateway(bot);
    expect(identifies).toBe(1);
    expect(resumes).toBeGreaterThan(0);
  }
});

/** Nothing that bots hear takes effect until the returned function is called. */
const holdUpEffects = async () => {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = fixture.service.db.transaction(async (tx) => {
    await tx.execute('lock table heard in exclusive mode');
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return async () => {
    released.resolve();
    await holding;
  };
};

const leaseEnd = async (): Promise<number> => {
  const [row] = await fixture.service.db.$client`select until from gateway_processes`;
  return row.until.getTime();
};

const leaseRenewed = async () => {
  const before = await leaseEnd();
  await eventually(20_000, async () => expect(await leaseEnd()).toBeGreaterThan(before));
};

test('bots connect no faster than their sessions are stored', async () => {
  const fresh: TestBot[] = [];
  for (let count = 0; count < 5; count++) fresh.push(await fixture.newBot());
  const begun = async () => {
    const seen = await Promise.all(fresh.map(fixture.atGateway));
    return seen.filter(({ identifies }) => identifies > 0).length;
  };
  const release = await holdUpEffects();
  fixture.startHolding({}, { connectsAtOnce: 2 });
  await eventually(20_000, async () => expect(await begun()).toBe(2));
  for (let rounds = 0; rounds < 3; rounds++) await leaseRenewed();
  expect(await begun()).toBe(2);
  await release();
  await eventually(20_000, async () => expect(await begun()).toBe(5));
});
