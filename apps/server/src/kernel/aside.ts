import { Worker } from 'node:worker_threads';
import { readTooHeavy } from './errors.ts';
import { createFairSemaphore, WaitedTooLong } from './fair-semaphore.ts';
import { buffersOf, type Packed, pack, unpack } from './hand-over.ts';

/**
 * Work on data alone that would hold the event loop is done aside, by a worker thread. It is in one of two
 * modes, which the caller names:
 *
 *     inline   at once and on this thread: there is so little data that handing it over would take longer
 *     worker   in a worker, which does one task at a time: that of the account which had least of it lately
 *
 * Requests have a worker of their own, since a task of a job may take a minute.
 */
export type AsideMode = 'inline' | 'worker';

/** A pure function with a name, by which the worker knows it too. */
export type AsideTask<Things extends object, How, Output> = {
  name: string;
  run(things: Things, how: How): Output | Promise<Output>;
};

export type AsideMessage = { task: string; things: Packed; how: unknown };
type AsideAnswer = { output: Packed } | { failure: string };

type AsideRequest = {
  accountId: string;
  mode: AsideMode;
  /** For whom: a request is answered with 429 where a job waits. */
  waits: keyof typeof limits;
};

export type Aside = {
  run<Things extends object, How, Output>(
    task: AsideTask<Things, How, Output>,
    things: Things,
    how: How,
    request: AsideRequest,
  ): Promise<Output>;
  stop(): Promise<void>;
};

const limits = {
  request: { waitMs: 2500, runMs: 4000 },
  job: { waitMs: 10 * 60_000, runMs: 60_000 },
};

const retryAfterSeconds = 5;

/** The worker is told whose work it does. It is started for the first task, and anew after one that took too long. */
const createWorker = (program: URL, waits: AsideRequest['waits']) => {
  let thread: Worker | undefined;

  const send = (message: AsideMessage, longestMs: number): Promise<Packed> => {
    const current = thread ?? new Worker(program, { workerData: waits });
    thread = current;
    const { promise, resolve, reject } = Promise.withResolvers<Packed>();
    const giveUp = (reason: Error) => {
      thread = undefined;
      void current.terminate();
      reject(reason);
    };
    const timer = setTimeout(() => giveUp(readTooHeavy(retryAfterSeconds)), longestMs);
    current.on('error', giveUp);
    current.on('message', (answer: AsideAnswer) =>
      'output' in answer ? resolve(answer.output) : reject(new Error(`Aside: ${answer.failure}`)),
    );
    current.ref();
    current.postMessage(message, buffersOf(message.things));
    return promise.finally(() => {
      clearTimeout(timer);
      current.removeAllListeners();
      // An idle worker keeps no process running.
      current.unref();
    });
  };

  return {
    send,
    inTurn: createFairSemaphore({ atOnce: 1, longestWaitMs: limits[waits].waitMs }),
    stop: async () => thread?.terminate(),
  };
};

export const createAside = (program: URL, patience = 1): Aside => {
  const workers = {
    request: createWorker(program, 'request'),
    job: createWorker(program, 'job'),
  };
  return {
    async run(task, things, how, { accountId, mode, waits }) {
      if (mode === 'inline') return task.run(things, how);
      const { waitMs, runMs } = limits[waits];
      const { send, inTurn } = workers[waits];
      const work = async () =>
        send({ task: task.name, things: await pack(things), how }, runMs * patience);
      const answer = await inTurn(accountId, work, waitMs * patience).catch((error: unknown) => {
        throw error instanceof WaitedTooLong ? readTooHeavy(retryAfterSeconds) : error;
      });
      // The worker has the same task under this name.
      return (await unpack(answer)) as Awaited<ReturnType<typeof task.run>>;
    },
    async stop() {
      for (const worker of Object.values(workers)) await worker.stop();
    },
  };
};

/** In the worker: does what a message asks for. */
export const answerAside = async (
  tasks: readonly AsideTask<never, never, unknown>[],
  { task: name, things, how }: AsideMessage,
): Promise<AsideAnswer> => {
  try {
    const task = tasks.find((one) => one.name === name);
    if (!task) throw new Error(`There is no task ${name}`);
    // `run` above was given what this task takes.
    return { output: await pack(await task.run((await unpack(things)) as never, how as never)) };
  } catch (error) {
    return { failure: error instanceof Error ? `${error.name}: ${error.message}` : typeof error };
  }
};
