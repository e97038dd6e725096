import { randomBytes } from 'node:crypto';
import type { Log } from '../../kernel/log.ts';
import type { Config } from '../config.ts';
import { joinSimulator } from '../local-mode/simulator-process.ts';
import { logWaiting } from '../log-waiting.ts';
import { describeDatabase, openStorage } from '../storage.ts';
import { claimPort } from './claim-port.ts';
import { createMember, type EndedAtStart, type Listening, type Member } from './member.ts';
import { createMetricsMerger } from './merge-metrics.ts';
import { type Begin, metricsShape } from './messages.ts';
import { connectionsOf } from './plan-processes.ts';
import { openSharedCounts, sharedCountsBytes } from './shared-counts.ts';
import { createSharedMemory } from './shared-memory.ts';
import { createSupervisorMetrics } from './supervisor-metrics.ts';

type Dependencies = {
  count: number;
  /** By name, with what files held in its place. */
  settings: Record<string, string>;
  log: Log;
  /** Aborted when the service is told to stop, also during its start. */
  stopping: AbortSignal;
  /** After so long, processes that have not stopped are killed. */
  stopWithinMs: number;
  /** No process serves, and one of them fails again and again. */
  onGivenUp(failure: EndedAtStart): void;
};

type OnStop = (step: () => unknown) => void;

/**
 * Runs the service as several processes that listen at one port. This one only supervises: it starts what
 * exists once (the embedded PostgreSQL, the simulator), starts the others and starts them again when they
 * end, and merges their metrics. It serves nothing, so nothing that a client sends can end it.
 */
export const startProcesses = async (config: Config, dependencies: Dependencies) => {
  const undo: (() => unknown)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await start(config, dependencies, (step) => undo.push(step))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (
  config: Config,
  dependencies: Dependencies,
  onStop: OnStop,
): Promise<Listening> => {
  onStop(claimPort(config.host, config.port).release);
  const databaseUrl = await openWhatIsShared(config, dependencies.log, onStop);
  const counts = openCounts(onStop);
  const known = { port: config.port, haveAllStarted: false };
  const beginOf = (place: number): Begin => ({
    ...{ type: 'begin', place, settings: dependencies.settings, ...known },
    dbPool: connectionsOf(place, dependencies.count, config.dbPool),
    ...{ dataDir: config.dataDir, databaseUrl, countsSeed: counts.seed },
  });
  const halt = new AbortController();
  const stopping = AbortSignal.any([dependencies.stopping, halt.signal]);
  const members = createMembers({ ...dependencies, stopping, beginOf, memoryFd: counts.fd });
  onStop(() => {
    halt.abort();
    return stopAll(members, dependencies);
  });

  // Alone: what is wrong with the settings or the database is reported once.
  const [first, ...others] = members;
  if (!first) throw new Error('There is no process to start');
  const listening = await first.start();
  known.port = Number(new URL(listening.url).port);
  if (dependencies.stopping.aborted) return listening;
  await Promise.all(others.map((member) => member.start()));
  known.haveAllStarted = true;
  for (const member of members) member.tellAllStarted();
  return listening;
};

/** The embedded PostgreSQL, whose address is returned, and the simulator. */
const openWhatIsShared = async (
  config: Config,
  log: Log,
  onStop: OnStop,
): Promise<string | undefined> => {
  const storage = await logWaiting(log, describeDatabase(config), () => openStorage(config));
  onStop(storage.close);
  if (config.platform.apiUrl === undefined) onStop((await joinSimulator(config, log)).stop);
  return config.databaseUrl === undefined ? storage.url : undefined;
};

const sweepEveryMs = 10_000;

const openCounts = (onStop: OnStop): { fd: number; seed: string } => {
  const { fd, close } = createSharedMemory(sharedCountsBytes);
  onStop(close);
  const seed = randomBytes(8).readBigUInt64LE();
  const { sweep } = openSharedCounts(fd, seed);
  const sweeping = setInterval(sweep, sweepEveryMs);
  onStop(() => clearInterval(sweeping));
  return { fd, seed: String(seed) };
};

type MembersDependencies = Dependencies & { beginOf(place: number): Begin; memoryFd: number };

const createMembers = (dependencies: MembersDependencies): Member[] => {
  const { count, stopping } = dependencies;
  const countServing = () => members.filter((member) => member.isServing()).length;
  const metrics = createSupervisorMetrics({ wanted: count, countServing });
  const merger = createMetricsMerger();
  const readMetrics = async () => {
    await merger.collect(members);
    return merger.read(metricsShape.parse(await metrics.registry.getMetricsAsJSON()));
  };
  const onEnded = (pid: number) => {
    merger.noteEnd(pid);
    if (!stopping.aborted) metrics.ended.inc();
  };
  const onFailing = (failure: EndedAtStart) => {
    if (countServing() === 0) dependencies.onGivenUp(failure);
  };
  const shared = { ...dependencies, readMetrics, onEnded, onFailing };
  const members = Array.from({ length: count }, (_, place) => createMember({ ...shared, place }));
  // However this process ends, except by SIGKILL: then the others notice by themselves.
  process.on('exit', () => signalAll(members, 'SIGKILL'));
  return members;
};

const signalAll = (members: Member[], signal: NodeJS.Signals): void => {
  for (const member of members) member.signal(signal);
};

/** They drain side by side. */
const stopAll = async (members: Member[], { log, stopWithinMs }: Dependencies): Promise<void> => {
  signalAll(members, 'SIGTERM');
  const late = setTimeout(() => {
    log.error({ stopWithinMs }, 'processes did not stop in time: they are killed');
    process.exitCode = 1;
    signalAll(members, 'SIGKILL');
  }, stopWithinMs);
  await Promise.all(members.map((member) => member.ended()));
  clearTimeout(late);
};
