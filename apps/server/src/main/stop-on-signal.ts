import type { Log } from '../kernel/log.ts';

/** npm forwards a signal that the whole process group already got: that is not a second signal. */
const sameSignalMs = 1000;

/** After the drain. With the default drain this adds up to half a minute, after which supervisors kill. */
export const stopWithinMs = 22_000;

type Stoppable = {
  starting: Promise<{ stop(): Promise<void> }>;
  /** How long all of it may take. */
  withinMs(): number;
  log: Log;
  /** Aborted by the first signal. */
  stopping: AbortController;
};

/** A signal during the start is handled after it: nothing that was started may be left running. */
export const stopOnSignal = ({ starting, withinMs, log, stopping }: Stoppable): void => {
  let requestedAt = 0;
  const stop = async (signal: string) => {
    if (stopping.signal.aborted) {
      if (performance.now() - requestedAt < sameSignalMs) return;
      process.exit(1);
    }
    stopping.abort();
    requestedAt = performance.now();
    log.info({ signal }, 'stopping: requests in flight finish first');
    const limitMs = withinMs();
    setTimeout(() => {
      log.error({ withinMs: limitMs }, 'did not stop in time: ending without the rest');
      process.exit(1);
    }, limitMs);
    const service = await starting;
    await service.stop();
    process.exit();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};
