import { Worker } from 'node:worker_threads';
import { readTooHeavy } from './errors.ts';
import { createFairSemaphore, WaitedTooLong } from './fair-semaphore.ts';
import { giveWay } from './turns.ts';

/**
 * Work on data alone that would hold the event loop is done aside, by a worker thread. It is in one of two
 * modes, which the caller names:
 *
 *     inline   at once and on this thread: there is so little data that handing it over would take longer
 *     worker   in the worker, which does one task at a time: of the accounts that wait each has its turn
 */
export type AsideMode = 'inline' | 'worker';

/** A pure function with a name, by which the worker knows it too. */
export type AsideTask<Things extends object, How, Output> = {
  name: string;
  run(things: Things, how: How): Output | Promise<Output>;
};

/** What a worker is sent: of each thing its lists as pieces of JSON, and all the rest as it is. */
export type AsideMessage = {
  task: string;
  things: [
    name: string,
    rest: object,
    lists: [name: string, pieces: Uint8Array<ArrayBuffer>[]][],
  ][];
  how: unknown;
};
type AsideAnswer = { output: unknown } | { failure: string };

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

/** The worker is started for the first task, and anew after one that took too long. */
export const createAside = (program: URL, patience = 1): Aside => {
  let thread: Worker | undefined;
  const inTurn = createFairSemaphore({ atOnce: 1, longestWaitMs: limits.request.waitMs });

  const send = (message: AsideMessage, longestMs: number): Promise<unknown> => {
    const current = thread ?? new Worker(program);
    thread = current;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
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
    const pieces = message.things.flatMap(([, , lists]) => lists.flatMap(([, some]) => some));
    // Handed over instead of copied.
    current.postMessage(
      message,
      pieces.map(({ buffer }) => buffer),
    );
    return promise.finally(() => {
      clearTimeout(timer);
      current.removeAllListeners();
      // An idle worker keeps no process running.
      current.unref();
    });
  };

  return {
    async run(task, things, how, { accountId, mode, waits }) {
      if (mode === 'inline') return task.run(things, how);
      const { waitMs, runMs } = limits[waits];
      const work = async () =>
        send({ task: task.name, things: await pack(things), how }, runMs * patience);
      const output = await inTurn(accountId, work, waitMs * patience).catch((error: unknown) => {
        throw error instanceof WaitedTooLong ? readTooHeavy(retryAfterSeconds) : error;
      });
      // The worker has the same task under this name.
      return output as Awaited<ReturnType<typeof task.run>>;
    },
    async stop() {
      await thread?.terminate();
    },
  };
};

/** A structured clone of long lists would hold this thread for longer than their text takes, made in turns. */
const pack = async (things: object): Promise<AsideMessage['things']> => {
  const packed: AsideMessage['things'] = [];
  for (const [name, thing] of Object.entries(things)) {
    const fields = Object.entries(thing);
    const lists: AsideMessage['things'][number][2] = [];
    for (const [field, value] of fields) {
      if (Array.isArray(value)) lists.push([field, await packList(value)]);
    }
    const rest = Object.fromEntries(fields.filter(([, value]) => !Array.isArray(value)));
    packed.push([name, rest, lists]);
  }
  return packed;
};

/** Each piece holds some entries. */
const pieceChars = 64 * 1024;

const packList = async (list: readonly unknown[]): Promise<Uint8Array<ArrayBuffer>[]> => {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let texts: string[] = [];
  let chars = 0;
  const finishPiece = () => {
    pieces.push(new TextEncoder().encode(`[${texts.join()}]`));
    [texts, chars] = [[], 0];
  };
  for (const entry of list) {
    await giveWay();
    const text = JSON.stringify(entry);
    texts.push(text);
    chars += text.length;
    if (chars >= pieceChars) finishPiece();
  }
  finishPiece();
  return pieces;
};

const unpackList = (pieces: Uint8Array[]): unknown[] =>
  pieces.flatMap((piece) => JSON.parse(new TextDecoder().decode(piece)));

/** In the worker: does what a message asks for. */
export const answerAside = async (
  tasks: readonly AsideTask<never, never, unknown>[],
  { task: name, things, how }: AsideMessage,
): Promise<AsideAnswer> => {
  try {
    const task = tasks.find((one) => one.name === name);
    if (!task) throw new Error(`There is no task ${name}`);
    // `run` above was given what this task takes.
    return { output: await task.run(unpack(things) as never, how as never) };
  } catch (error) {
    return { failure: error instanceof Error ? `${error.name}: ${error.message}` : typeof error };
  }
};

const unpack = (things: AsideMessage['things']): object =>
  Object.fromEntries(
    things.map(([name, rest, lists]) => [
      name,
      { ...rest, ...Object.fromEntries(lists.map(([field, some]) => [field, unpackList(some)])) },
    ]),
  );
