import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type GatewayFixture,
  startGatewayFixture,
  type TestBot,
} from '../../../../test/harness/gateway.ts';
import { createMetrics } from '../../../kernel/metrics.ts';
import { createEventStore } from '../connect/event-store.ts';
import { claimBots } from '../queries/connections.ts';
import { createGatewayMetrics } from './metrics.ts';
import { acquireProcessLease, HoldingLost } from './process-lease.ts';
import { releaseLostBots } from './spread.ts';

setDefaultTimeout(60_000);

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

test('what a process stores after another took its bots over is not stored', async () => {
  const { db, log } = fixture.service;
  const times = { leaseMs: 60_000, renewMs: 60_000, marginMs: 1000 };
  const lease = await acquireProcessLease({ db, log, name: 'old' }, times);
  const [bot] = await db.transaction((tx) => claimBots(tx, lease.processId, 1));
  if (!bot) throw new Error('No bot is free');
  const { botId, accountId } = bot;
  const applied: string[] = [];
  const store = createEventStore(
    {
      ...{ db, log, lease, metrics: createGatewayMetrics(createMetrics().registry) },
      onGuildEvents: async () => {
        applied.push('applied');
      },
      inTurn: (work) => work(),
    },
    { botId, accountId, processId: lease.processId },
    bot,
  );
  const session = { id: 'session', resumeUrl: 'ws://127.0.0.1/' };
  const dispatch = (sequence: number) => ({
    ...{ session, sequence },
    events: [{ kind: 'guildGone' as const, guildId: '1' }],
  });
  store.add(dispatch(1));
  await store.flush();
  expect(store.session()).toEqual({ ...session, sequence: 1 });

  // It believes to hold the bot, but the database has waited long enough for it.
  await db.$client`update gateway_processes set until = now() - interval '1 second'`;
  expect(lease.isHeld()).toBe(true);
  await db.transaction(releaseLostBots);
  const other = await acquireProcessLease({ db, log, name: 'new' }, times);
  const taken = await db.transaction((tx) => claimBots(tx, other.processId, 100));
  expect(taken.find((one) => one.botId === botId)).toMatchObject({
    ...{ sessionId: 'session', sequence: 1 },
  });
  store.add(dispatch(2));
  expect(await store.flush().catch((error: unknown) => error)).toBeInstanceOf(HoldingLost);
  expect(lease.isHeld()).toBe(false);
  expect(applied).toHaveLength(1);
  const [row] = await db.$client`
    select sequence::int from gateway_connections where bot_id = ${botId}`;
  expect(row.sequence).toBe(1);
  lease.stopRenewing();
  other.stopRenewing();
  await db.$client`delete from gateway_processes`;
});
