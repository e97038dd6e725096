/**
 * One of the processes that share the service's port: the program that `supervisor.ts` starts. It is told
 * its settings, serves, and ends at once when the supervisor is gone: whoever starts the service again must
 * find the port free.
 */
import { withinDeadline } from '../../kernel/deadline.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type Config, readConfig } from '../config.ts';
import { greeting } from '../greeting.ts';
import { type Service, startService, type Together } from '../service.ts';
import { stopOnSignal, stopWithinMs } from '../stop-on-signal.ts';
import { type Begin, metricsShape, type ToSupervisor, toProcess } from './messages.ts';
import { openSharedCounts } from './shared-counts.ts';
import { inheritedFd } from './shared-memory.ts';

const log = createLog();
const metrics = createMetrics();
const begun = Promise.withResolvers<Begin>();
const asked = new Map<number, (text: string) => void>();
const stopping = new AbortController();
/** Longer than the supervisor waits for the others. */
const answerMs = 8000;
let questions = 0;
let haveAllStarted = false;
let drainMs = 0;

const tell = (message: ToSupervisor): void => {
  process.send?.(message);
};

const receive = async (given: unknown): Promise<void> => {
  const message = toProcess.parse(given);
  if (message.type === 'begin') begun.resolve(message);
  if (message.type === 'ping') tell({ type: 'pong' });
  if (message.type === 'allStarted') haveAllStarted = true;
  if (message.type === 'metrics') asked.get(message.id)?.(message.text);
  if (message.type !== 'collect') return;
  const collected = metricsShape.parse(await metrics.registry.getMetricsAsJSON());
  tell({ type: 'collected', id: message.id, metrics: collected });
};

const readMetrics = (): Promise<string> => {
  const id = questions++;
  tell({ type: 'askMetrics', id });
  const answer = new Promise<string>((resolve) => asked.set(id, resolve));
  return withinDeadline({ ms: answerMs, lastMs: answerMs }, () => answer).finally(() =>
    asked.delete(id),
  );
};

/** The first one does what exists once: jobs and the connections of bots. */
const configOf = (begin: Begin): Config => {
  const config = readConfig(begin.settings);
  const isFirst = begin.place === 0;
  return {
    ...config,
    ...config.placesIn(begin.dataDir),
    ...{ port: begin.port, dbPool: begin.dbPool },
    databaseUrl: begin.databaseUrl ?? config.databaseUrl,
    doesWork: isFirst && config.doesWork,
    holdsBots: isFirst && config.holdsBots,
    // Two processes of one name would take each other's jobs away.
    workerId: isFirst ? config.workerId : undefined,
  };
};

const start = async (): Promise<Service> => {
  const begin = await begun.promise;
  const config = configOf(begin);
  drainMs = config.drainMs;
  haveAllStarted = begin.haveAllStarted;
  const together: Together = {
    metrics,
    siblings: { readMetrics, haveAllStarted: () => haveAllStarted },
    counts: openSharedCounts(inheritedFd, BigInt(begin.countsSeed)),
  };
  const service = await startService(config, log.child({ process: begin.place + 1 }), together);
  tell({ type: 'listening', url: service.url, greeting: greeting(config, service) });
  return service;
};

/** The supervisor says why, because it knows whether anybody has said so before. */
const fail = (error: unknown): void => {
  const message = error instanceof Error ? error.message : String(error);
  setTimeout(() => process.exit(1), 1000);
  process.send?.({ type: 'failed', message }, undefined, undefined, () => process.exit(1));
};

process.on('message', (given) => {
  receive(given).catch((err: unknown) => log.error({ err }, 'a message cannot be answered'));
});
process.on('disconnect', () => process.exit(1));
const starting = start();
stopOnSignal({ starting, withinMs: () => drainMs + stopWithinMs, log, stopping });
starting.catch(fail);
