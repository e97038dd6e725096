import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseFailure } from '../../db/failures.ts';
import { guardSignal, mayStillAct } from '../../kernel/guarded-signal.ts';

/** Notices within a second that a pull is to stop, whatever it waits for. */
export type Watch = {
  /** For calls: also ends those that wait for their bucket. */
  signal: AbortSignal;
  /** Throws why the pull is to stop, if it is. */
  demandWanted(): void;
  rest(ms: number): Promise<void>;
  /** While a call is on its way it is let through, or its outcome would not be known. */
  setSending(isSending: boolean): void;
  end(): void;
};

const lookEveryMs = 1000;

/** `demandOnCourse` throws why the pull is to stop. */
export const beginWatch = (runSignal: AbortSignal, demandOnCourse: () => Promise<void>): Watch => {
  const stop = new AbortController();
  const signal = AbortSignal.any([runSignal, stop.signal]);
  let reason: { error: unknown } | undefined;
  let isSending = false;
  let isLooking = false;

  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    await demandOnCourse().catch((error: unknown) => {
      // The work itself notices soon enough when the database is away.
      if (!isDatabaseFailure(error)) reason = { error };
    });
    isLooking = false;
    if (reason && !isSending) stop.abort();
  };
  const looking = setInterval(look, lookEveryMs);

  const demandWanted = () => {
    runSignal.throwIfAborted();
    if (reason) throw reason.error;
  };
  return {
    signal: guardSignal(signal, () => mayStillAct(runSignal)),
    demandWanted,
    async rest(ms) {
      await sleep(ms, undefined, { signal }).catch((error: unknown) => {
        demandWanted();
        throw error;
      });
    },
    setSending(value) {
      isSending = value;
      if (reason && !isSending) stop.abort();
    },
    end: () => clearInterval(looking),
  };
};
