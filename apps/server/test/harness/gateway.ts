import { sql } from 'drizzle-orm';
import { connectDatabase } from '../../src/db/connect.ts';
import { gateway } from '../../src/features/gateway/feature.ts';
import { health } from '../../src/features/health/feature.ts';
import { panels } from '../../src/features/panels/feature.ts';
import { protection } from '../../src/features/protection/feature.ts';
import { rejoins } from '../../src/features/rejoins/feature.ts';
import { servers } from '../../src/features/servers/feature.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import type { KeyRing } from '../../src/kernel/seal.ts';
import { cdnUrlOf } from '../../src/platform/client/urls.ts';
import { createGateway } from '../../src/platform/gateway/connection.ts';
import { createPlatformMetrics } from '../../src/platform/metrics.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { createBot, newBotBody } from './bots-and-servers.ts';
import { serviceUrl } from './pooled-url.ts';
import { type OwnTenant, randomPlatformId, startTestService } from './service.ts';
import { startTestSimulator } from './simulator/start.ts';

/** What takes seconds in the service takes tenths of them here. */
const quickTimes = {
  ...{ leaseMs: 4000, renewMs: 300, marginMs: 1000 },
  ...{ tickMs: 50, pauseMs: 20, identifyWindowMs: 300 },
};

export type GatewayFixture = Awaited<ReturnType<typeof startGatewayFixture>>;
export type TestBot = { id: string; platformId: string; token: string; owner: OwnTenant };

/** The service, a simulator of its own, and as many gateway processes as a test starts. */
export const startGatewayFixture = async (
  options: { doesWork?: string[]; ring?: KeyRing } = {},
) => {
  const simulator = await startTestSimulator();
  const usualSettings = { concurrencyMs: 200 };
  await simulator.control('PUT', '/gateway', usualSettings);
  const service = await startTestService({ platformApiUrl: simulator.apiUrl, ...options });
  const { db, ring, queue, log, databaseUrl } = service;
  await db.$client`create table heard (id bigserial, bot_id uuid, kind text, guild_id text)`;
  const { apiUrl } = simulator;
  const running: { stop(): Promise<void> }[] = [];

  /** Without `isWatching` attackers are found only by what is stored. */
  const startHolding = (
    times: Partial<typeof quickTimes> = {},
    { connectsAtOnce, isWatching = true }: { connectsAtOnce?: number; isWatching?: boolean } = {},
  ) => {
    const { registry } = createMetrics();
    const holdUrl = serviceUrl(databaseUrl);
    const holdDb = connectDatabase(holdUrl, { name: 'holdfast-test-hold', poolSize: 2 });
    const platform = createPlatform({
      ...{ apiUrl, cdnUrl: cdnUrlOf(apiUrl), firstBackOffMs: 20 },
      metrics: createPlatformMetrics(registry),
    });
    const protecting = {
      ...{ db, ring, queue, platform, log, clock: systemClock },
      protectionMetrics: protection.createMetrics(registry),
    };
    const watching = protection.watch(protecting);
    const noteMissed = protection.noteMissed(protecting);
    const holding = gateway.hold({
      ...{ db, holdDb, ring, queue, platform, log, name: 'test' },
      gateway: createGateway({ apiUrl }),
      metrics: gateway.createMetrics(registry),
      ...{ times: { ...quickTimes, ...times }, connectsAtOnce },
      onArrival: isWatching ? watching.onArrival : undefined,
      onConnecting: isWatching ? watching.onConnecting : undefined,
      async onGuildEvents(tx, bot, events) {
        await servers.followGuilds(platform)(tx, bot, events);
        await health.create({ queue, noteMissed }).followGuilds(tx, bot, events);
        await panels.followGuild(service)(tx, bot, events);
        await rejoins.followMembers(service.queue)(tx, bot, events);
        await protection.followActs(protecting)(tx, bot, events);
        for (const event of events) {
          const guildId = 'guildId' in event ? event.guildId : null;
          await tx.execute(sql`
            insert into heard (bot_id, kind, guild_id)
            values (${bot.botId}, ${event.kind}, ${guildId})`);
        }
      },
    });
    const started = {
      registry,
      async stop() {
        await holding.stop();
        await watching.stop();
        await holdDb.$client.close({ timeout: 1 });
      },
    };
    running.push(started);
    return started;
  };

  return {
    simulator,
    service,
    startHolding,
    async newBot(owner?: OwnTenant, changes: object = {}): Promise<TestBot> {
      const tenant = owner ?? (await service.newTenant());
      const body = { ...newBotBody(), ...changes };
      const id = await createBot(tenant, body);
      return { id, platformId: body.clientId, token: body.botToken, owner: tenant };
    },
    /** The bot becomes a member of a new guild of the simulator. */
    async joinGuild({ token }: TestBot): Promise<string> {
      const guildId = randomPlatformId();
      const headers = { authorization: `Bot ${token}` };
      const reply = await fetch(`${apiUrl}/v10/guilds/${guildId}`, { headers });
      if (!reply.ok) throw new Error(`The bot did not join: ${reply.status}`);
      await reply.arrayBuffer();
      return guildId;
    },
    /** What the simulator says about a bot's connections. */
    async atGateway({ platformId }: TestBot) {
      return (await simulator.control('GET', `/gateway?botId=${platformId}`)).bots[0];
    },
    act: ({ platformId }: TestBot, action: object) =>
      simulator.control('POST', '/gateway/actions', { botId: platformId, ...action }),
    setGateway: (settings: object) =>
      simulator.control('PUT', '/gateway', { ...usualSettings, ...settings }),
    async record({ id, owner }: TestBot) {
      const { body } = await owner.call('GET', '/api/v1/bots');
      return body.data.find((one: { id: string }) => one.id === id);
    },
    change: ({ id, owner }: TestBot, body: object) =>
      owner.call('PUT', `/api/v1/bots/${id}`, { body }),
    /** Events that took effect, in order. */
    async heard({ id }: TestBot, kind: string): Promise<string[]> {
      const rows = await db.$client`
        select guild_id from heard where bot_id = ${id} and kind = ${kind} order by id`;
      return rows.map((row: { guild_id: string }) => row.guild_id);
    },
    async stopHolding() {
      await Promise.all(running.splice(0).map((one) => one.stop()));
    },
    async stop() {
      await Promise.all(running.splice(0).map((one) => one.stop()));
      await service.stop();
      await simulator.stop();
    },
  };
};
