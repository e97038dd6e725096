import { join } from 'node:path';
import { type MetricAsJson, type ToProcess, type ToSupervisor, toSupervisor } from './messages.ts';

const program = join(import.meta.dir, 'process.ts');

/** A process that answers none of so many pings hangs, and only costs: it is killed. */
const pingEveryMs = 5000;
const mostUnanswered = 6;
/** Before its first answer it loads its code, which a busy machine holds up. */
const mostUnansweredAtStart = 24;

type Handlers = {
  onMessage(message: ToSupervisor): void;
  onHanging(): void;
};

export type Child = {
  pid: number;
  send(message: ToProcess): void;
  signal(signal: NodeJS.Signals): void;
  /** The metrics of this process; rejects when it ends before it answers. */
  collect(): Promise<MetricAsJson[]>;
  exited: Promise<number>;
};

/** Starts one process of the service. What it writes goes where the supervisor's own output goes. */
export const spawnChild = (fd: number, { onMessage, onHanging }: Handlers): Child => {
  const collecting = new Map<number, PromiseWithResolvers<MetricAsJson[]>>();
  let collections = 0;
  let unanswered = 0;
  let hasAnswered = false;

  const receive = (given: unknown): void => {
    const message = toSupervisor.parse(given);
    if (message.type === 'pong') {
      unanswered = 0;
      hasAnswered = true;
    } else if (message.type === 'collected') collecting.get(message.id)?.resolve(message.metrics);
    else onMessage(message);
  };
  const child = Bun.spawn([process.execPath, '--no-env-file', program], {
    stdio: ['ignore', 'inherit', 'inherit', fd],
    ipc: receive,
    onExit() {
      clearInterval(pinging);
      for (const { reject } of collecting.values()) reject(new Error('The process ended'));
    },
  });
  const send = (message: ToProcess) => {
    try {
      child.send(message);
    } catch {
      // It has just ended, which its exit tells.
    }
  };
  const ping = () => {
    const most = hasAnswered ? mostUnanswered : mostUnansweredAtStart;
    if (unanswered++ < most) return send({ type: 'ping' });
    onHanging();
    child.kill('SIGKILL');
  };
  const pinging = setInterval(ping, pingEveryMs);

  return {
    pid: child.pid,
    send,
    signal: (signal) => child.kill(signal),
    collect() {
      const id = collections++;
      const collected = Promise.withResolvers<MetricAsJson[]>();
      collecting.set(id, collected);
      send({ type: 'collect', id });
      return collected.promise.finally(() => collecting.delete(id));
    },
    exited: child.exited,
  };
};
