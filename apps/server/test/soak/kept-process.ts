import { type ServiceProcess, startProcess } from '../harness/service-process.ts';

export type Role = 'api' | 'worker' | 'gateway';

/** A process of the service that is started again whenever it ends, as systemd would. */
export type KeptProcess = {
  name: string;
  role: Role;
  url: string;
  pid(): number;
  /** What it logged since it was last started. */
  output(): string;
  /** How often it was started after its first start. */
  restarts(): number;
  /** When it was away for the last time, or still is. */
  wasAwaySince(atMs: number): boolean;
  /** Whether it stood still then: it may have held a lock that others waited for. */
  wasFrozenSince(atMs: number): boolean;
  kill(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** Stops it where it stands, and lets it go on after that time. */
  freeze(forMs: number): Promise<void>;
  stop(): Promise<void>;
};

type Settings = { name: string; role: Role; port: number; env: Record<string, string> };

/** A client that found it away a moment ago may still be told so. */
const graceMs = 3000;
const pauseBeforeRestartMs = 500;
const startsWithinMs = 120_000;

export const keepProcess = async ({ name, role, port, env }: Settings): Promise<KeptProcess> => {
  const start = () => startProcess({ ...env, ROLE: role, WORKER_ID: name, PORT: String(port) });
  let current: ServiceProcess = await start();
  let restarts = 0;
  let isStopping = false;
  let isAway = false;
  let wasBackAtMs = 0;
  let wasFrozenUntilMs = 0;
  const keep = async (): Promise<void> => {
    await current.exited;
    if (isStopping) return;
    isAway = true;
    await Bun.sleep(pauseBeforeRestartMs);
    current = await startAgain(start);
    restarts++;
    isAway = false;
    wasBackAtMs = Date.now();
    return keep();
  };
  const keeping = keep();
  return {
    ...{ name, role, url: current.url },
    pid: () => current.pid,
    output: () => current.output(),
    restarts: () => restarts,
    wasAwaySince: (atMs) => isAway || wasBackAtMs + graceMs >= atMs,
    wasFrozenSince: (atMs) => wasFrozenUntilMs >= atMs,
    kill(signal) {
      isAway = true;
      current.kill(signal);
    },
    async freeze(forMs) {
      const { pid } = current;
      wasFrozenUntilMs = Date.now() + forMs;
      process.kill(pid, 'SIGSTOP');
      await Bun.sleep(forMs);
      process.kill(pid, 'SIGCONT');
    },
    async stop() {
      isStopping = true;
      current.kill('SIGTERM');
      await keeping;
    },
  };
};

/** A start that finds no database ends. */
const startAgain = async (start: () => Promise<ServiceProcess>): Promise<ServiceProcess> => {
  const deadline = Date.now() + startsWithinMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await Bun.sleep(pauseBeforeRestartMs);
    }
  }
};
