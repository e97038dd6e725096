import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { guardSignal, mayStillAct } from '../../../kernel/deadline.ts';

/** Notices within a second that a pull is to stop, whatever it waits for. */
export type Watch = {
  /** For calls: also ends those that wait for their bucket. */
  signal: AbortSignal;
  /** Throws the reason where the pull is to stop. */
  throwIfStopped(): void;
  sleep(ms: number): Promise<void>;
  /** A call that is being sent is not aborted, or its outcome would not be known. */
  setSending(isSending: boolean): void;
  end(): void;
};

const checkEveryMs = 1000;

/** `check` throws where the pull is to stop. */
export const startWatch = (runSignal: AbortSignal, check: () => Promise<void>): Watch => {
  const stop = new AbortController();
  const signal = AbortSignal.any([runSignal, stop.signal]);
  let reason: { error: unknown } | undefined;
  let isSending = false;
  let isChecking = false;

  const runCheck = async () => {
    if (isChecking) return;
    isChecking = true;
    await check().catch((error: unknown) => {
      // The pull's own statements fail soon enough when the database is away.
      if (!isDatabaseFailure(error)) reason = { error };
    });
    isChecking = false;
    if (reason && !isSending) stop.abort();
  };
  const timer = setInterval(runCheck, checkEveryMs);

  const throwIfStopped = () => {
    runSignal.throwIfAborted();
    if (reason) throw reason.error;
  };
  return {
    signal: guardSignal(signal, () => mayStillAct(runSignal)),
    throwIfStopped,
    async sleep(ms) {
      await sleep(ms, undefined, { signal }).catch((error: unknown) => {
        throwIfStopped();
        throw error;
      });
    },
    setSending(value) {
      isSending = value;
      if (reason && !isSending) stop.abort();
    },
    end: () => clearInterval(timer),
  };
};
