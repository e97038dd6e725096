import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBot } from '../../../../test/harness/bots-and-servers.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { createMetrics } from '../../../kernel/metrics.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { createGatewayMetrics } from '../hold/metrics.ts';
import {
  acquireProcessLease,
  HoldingLost,
  type ProcessLease,
  type ProcessLeaseTimes,
} from '../hold/process-lease.ts';
import { releaseLostBots } from '../hold/spread.ts';
import { addMissingConnections, claimBots } from '../queries/connections.ts';
import { createEventStore, type OnGuildEvents } from './event-store.ts';

let service: TestService;
const leases: ProcessLease[] = [];
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  for (const lease of leases) lease.stopRenewing();
  await service.stop();
});

const times: ProcessLeaseTimes = { leaseMs: 60_000, renewMs: 60_000, marginMs: 1000 };

const newLease = async () => {
  const { db, log } = service;
  const lease = await acquireProcessLease({ db, log, name: 'test' }, times);
  leases.push(lease);
  return lease;
};

const claimAll = (lease: ProcessLease) =>
  service.db.transaction(async (tx) => {
    await addMissingConnections(tx);
    return claimBots(tx, lease.processId, 100);
  });

/** The store of a new bot, and what took effect. */
const newStore = async (onGuildEvents: OnGuildEvents = async () => undefined) => {
  const id = await createBot(await service.newTenant());
  const lease = await newLease();
  const bot = (await claimAll(lease)).find(({ botId }) => botId === id);
  if (!bot) throw new Error('The bot is not free');
  const effects: GuildEvent[] = [];
  const { db, log } = service;
  const store = createEventStore(
    {
      ...{ db, log, lease, metrics: createGatewayMetrics(createMetrics().registry) },
      inTurn: (work) => work(),
      async onGuildEvents(tx, owner, events) {
        await onGuildEvents(tx, owner, events);
        effects.push(...events);
      },
    },
    { botId: id, accountId: bot.accountId, processId: lease.processId },
    bot,
  );
  return { store, effects, lease, id };
};

const session = { id: 'session', resumeUrl: 'ws://127.0.0.1/' };
const goneGuild = (sequence: number, guildId = String(sequence)) => ({
  ...{ session, sequence },
  events: [{ kind: 'guildGone' as const, guildId }],
});
const guildsIn = (effects: GuildEvent[]) =>
  effects.map((event) => ('guildId' in event ? event.guildId : ''));

test('an event that fails by itself is skipped and logged, and those around it take effect', async () => {
  const { store, effects } = await newStore(async (_tx, _bot, events) => {
    if (events.some((event) => 'guildId' in event && event.guildId === '3')) throw new Error('No');
  });
  for (const sequence of [1, 2, 3, 4, 5]) store.add(goneGuild(sequence));
  await store.flush();
  expect(guildsIn(effects)).toEqual(['1', '2', '4', '5']);
  expect(store.session()).toEqual({ ...session, sequence: 5 });
  expect(service.logLines.join('')).toContain('events of a bot were skipped');
});

test('a session that the database refuses is not stored, and what follows it takes effect', async () => {
  const { store, effects } = await newStore();
  store.add({ ...goneGuild(1), session: { ...session, id: 'a\0b' } });
  store.add(goneGuild(2));
  await store.flush();
  expect(guildsIn(effects).at(-1)).toBe('2');
  expect(store.session()).toEqual({ ...session, sequence: 2 });
});

test('when the effects fail, neither they nor the sequence are stored', async () => {
  let isBroken = true;
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`;
  await service.db.$client.unsafe(`create table ${name} (guild_id text)`);
  const { store } = await newStore(async (tx, _bot, events) => {
    for (const guildId of guildsIn([...events])) {
      await tx.execute(`insert into ${name} values ('${guildId}')`);
    }
    if (!isBroken) return;
    isBroken = false;
    await tx.execute('select pg_terminate_backend(pg_backend_pid())');
  });
  store.add(goneGuild(1));
  store.add(goneGuild(2));
  await store.flush();
  const rows = await service.db.$client.unsafe(`select guild_id from ${name} order by 1`);
  expect(rows.map((row: { guild_id: string }) => row.guild_id)).toEqual(['1', '2']);
  expect(store.session()?.sequence).toBe(2);
});

test('more than a few thousand messages do not wait in memory', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { store } = await newStore(() => promise);
  let added = 0;
  while (added < 20_000 && store.add(goneGuild(added + 1))) added++;
  expect(added).toBeGreaterThan(1000);
  expect(added).toBeLessThan(10_000);
  store.discard();
  resolve();
  await store.flush();
  expect(store.session()?.sequence).toBeLessThan(added);
  expect(store.add(goneGuild(added + 1))).toBe(true);
});

test('what a process stores after another took its bots over is not stored', async () => {
  const { store, effects, lease, id } = await newStore();
  const { db } = service;
  store.add(goneGuild(1));
  await store.flush();
  expect(store.session()).toEqual({ ...session, sequence: 1 });

  // It believes to hold the bot, but the database has waited long enough for it.
  await db.$client`
    update gateway_processes set until = now() - interval '1 second' where id = ${lease.processId}`;
  expect(lease.isHeld()).toBe(true);
  await db.transaction(releaseLostBots);
  const taken = await claimAll(await newLease());
  expect(taken.find(({ botId }) => botId === id)).toMatchObject({
    ...{ sessionId: 'session', sequence: 1 },
  });
  store.add(goneGuild(2));
  expect(await store.flush().catch((error: unknown) => error)).toBeInstanceOf(HoldingLost);
  expect(lease.isHeld()).toBe(false);
  expect(guildsIn(effects)).toEqual(['1']);
  const [row] = await db.$client`
    select sequence::int from gateway_connections where bot_id = ${id}`;
  expect(row.sequence).toBe(1);
});

test('a process that died before the clock was set back does not keep its bots until then', async () => {
  const { db } = service;
  const { lease } = await newStore();
  await db.$client`
    update gateway_processes set until = until + interval '1 day' where id = ${lease.processId}`;
  await db.transaction(releaseLostBots);
  const [row] = await db.$client`
    select extract(epoch from until - now())::int as seconds from gateway_processes
    where id = ${lease.processId}`;
  expect(row.seconds).toBeLessThanOrEqual(120);
  expect(row.seconds).toBeGreaterThan(60);
});
