import { pause } from '../../kernel/concurrency.ts';
import { resultWithin } from '../../kernel/deadline.ts';
import type { Log } from '../../kernel/log.ts';
import { type Child, spawnChild } from './child.ts';
import type { Begin, MetricAsJson, ToSupervisor } from './messages.ts';
import { createRestartPause } from './restart-pause.ts';

export type Listening = Extract<ToSupervisor, { type: 'listening' }>;

type MemberDependencies = {
  place: number;
  log: Log;
  /** Aborted when the service stops: nothing is started any more. */
  stopping: AbortSignal;
  /** Of the counts that all share. */
  memoryFd: number;
  beginOf(place: number): Begin;
  readMetrics(): Promise<string>;
  onEnded(pid: number): void;
  /** It ended so often without serving that trying on is of no use unless another one serves. */
  onFailing(failure: EndedAtStart): void;
};

export type Member = {
  /** Resolves when it serves; rejects when it ends before. Once it has served it is started again. */
  start(): Promise<Listening>;
  isServing(): boolean;
  tellAllStarted(): void;
  collect(): Promise<{ pid: number; metrics: MetricAsJson[] } | undefined>;
  signal(signal: NodeJS.Signals): void;
  /** When its last process has ended, after `stopping`. */
  ended(): Promise<void>;
};

export class EndedAtStart extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.name = 'EndedAtStart';
    // It ended, and was not asked to.
    this.exitCode = exitCode || 1;
  }
}

const sentenceFor = (code: number) => `A process ended with ${code} before it served`;

/** The system has no room for another process, say. */
const cannotSpawn = (error: unknown) => ({
  ...{ code: 1, failure: error instanceof Error ? error.message : String(error) },
  servedMs: undefined,
});

const mostFailedStarts = 5;
/** Longer than a slow database holds up one of its metrics. */
const collectMs = 4000;

/** One of the places for a process: starting → serving → ended → pausing → starting … */
export const createMember = (dependencies: MemberDependencies): Member => {
  const { place, stopping, beginOf, readMetrics } = dependencies;
  const log = dependencies.log.child({ process: place + 1 });
  const pauses = createRestartPause();
  let child: Child | undefined;
  let servesSince: number | undefined;
  let running: Promise<void> = Promise.resolve();

  const runOnce = async (onListening: (message: Listening) => void) => {
    let failure: string | undefined;
    const onMessage = (message: ToSupervisor) => {
      if (message.type === 'failed') failure = message.message;
      if (message.type === 'askMetrics') {
        readMetrics().then(
          (text) => started.send({ type: 'metrics', id: message.id, text }),
          (err: unknown) => log.error({ err }, 'metrics cannot be read as one'),
        );
      }
      if (message.type !== 'listening') return;
      servesSince = performance.now();
      onListening(message);
    };
    const onHanging = () => log.error('a process does not answer any more: it is killed');
    const started = spawnChild(dependencies.memoryFd, { onMessage, onHanging });
    child = started;
    started.send(beginOf(place));
    const code = await started.exited;
    const servedMs = servesSince === undefined ? undefined : performance.now() - servesSince;
    [child, servesSince] = [undefined, undefined];
    dependencies.onEnded(started.pid);
    return { code, failure, servedMs };
  };

  const keepRunning = async (first: PromiseWithResolvers<Listening>): Promise<void> => {
    let hasServed = false;
    let failedStarts = 0;
    while (!stopping.aborted) {
      const { code, failure, servedMs } = await runOnce(first.resolve).catch(cannotSpawn);
      const ended = new EndedAtStart(failure ?? sentenceFor(code), code);
      hasServed ||= servedMs !== undefined;
      if (!hasServed) return first.reject(ended);
      if (stopping.aborted) return;
      failedStarts = servedMs === undefined ? failedStarts + 1 : 0;
      if (failedStarts >= mostFailedStarts) dependencies.onFailing(ended);
      const pauseMs = pauses.next(servedMs ?? 0);
      log.error({ code, failure, pauseMs }, 'a process ended: it is started again');
      await pause(pauseMs, stopping);
    }
    // Told to stop before it was started: whoever waits for it must not wait on.
    if (!hasServed) first.reject(new EndedAtStart('The service was told to stop', 1));
  };

  return {
    start() {
      const first = Promise.withResolvers<Listening>();
      running = keepRunning(first);
      return first.promise;
    },
    isServing: () => servesSince !== undefined,
    tellAllStarted: () => child?.send({ type: 'allStarted' }),
    async collect() {
      if (!child || servesSince === undefined) return undefined;
      const { pid } = child;
      const metrics = await resultWithin(collectMs, child.collect(), undefined);
      return metrics && { pid, metrics };
    },
    signal: (signal) => child?.signal(signal),
    ended: () => running,
  };
};
