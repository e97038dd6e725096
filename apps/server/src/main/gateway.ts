import { hostname } from 'node:os';
import { closeDatabase, connectDatabase, type Database } from '../db/connect.ts';
import { bots } from '../features/bots/feature.ts';
import type { OnGuildEvents } from '../features/gateway/connect/event-store.ts';
import { gateway } from '../features/gateway/feature.ts';
import { health } from '../features/health/feature.ts';
import { panels } from '../features/panels/feature.ts';
import type { ProtectionMetrics } from '../features/protection/contain/metrics.ts';
import { protection } from '../features/protection/feature.ts';
import { rejoins } from '../features/rejoins/feature.ts';
import { servers } from '../features/servers/feature.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { KeyRing } from '../kernel/seal.ts';
import { createGateway } from '../platform/gateway/connection.ts';
import type { Platform } from '../platform/port.ts';
import type { Queue } from '../queue/queue.ts';

type GatewayDependencies = {
  url: string;
  db: Database;
  ring: KeyRing;
  queue: Pick<Queue, 'enqueue'>;
  platform: Platform;
  apiUrl: string;
  log: Log;
  metrics: Metrics;
  protectionMetrics: ProtectionMetrics;
  clock: Clock;
  name?: string;
};

/** Holds bots in this process, and hands what they hear to the features that follow it. */
export const startGateway = (dependencies: GatewayDependencies): { stop(): Promise<void> } => {
  const { url, apiUrl, platform, queue, metrics, name } = dependencies;
  const holdDb = connectDatabase(url, { name: 'holdfast-gateway', poolSize: 2 });
  const listeners: OnGuildEvents[] = [
    bots.followGuilds,
    servers.followGuilds(platform),
    health.create({ queue, noteMissed: protection.noteMissed(dependencies) }).followGuilds,
    panels.followGuild(dependencies),
    rejoins.followMembers(queue),
    protection.followJoins(dependencies),
    protection.followActs(dependencies),
  ];
  const watching = protection.watch(dependencies);
  const holding = gateway.hold({
    ...dependencies,
    holdDb,
    name: name ?? `${hostname()} ${process.pid}`,
    gateway: createGateway({ apiUrl }),
    metrics: gateway.createMetrics(metrics.registry),
    onArrival: watching.onArrival,
    onConnecting: watching.onConnecting,
    async onGuildEvents(tx, bot, events) {
      for (const listen of listeners) await listen(tx, bot, events);
    },
  });
  return {
    async stop() {
      await holding.stop();
      await watching.stop();
      await closeDatabase(holdDb);
    },
  };
};
