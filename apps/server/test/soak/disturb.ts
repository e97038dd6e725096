import type { Installation } from './installation.ts';
import type { KeptProcess } from './kept-process.ts';
import type { Protocol } from './protocol.ts';

type Disturbance = { name: string; does(): Promise<void> | void };

const frozenForMs = 45_000;

/** What may happen to a machine room, each as often as it is listed. */
const disturbancesOf = ({ processes, postgres }: Installation): Disturbance[] => {
  const killed = processes.filter(({ name }) => name.endsWith('-2'));
  const each = (name: string, does: (one: KeptProcess) => Promise<void> | void): Disturbance[] =>
    killed.map((one) => ({ name: `${one.name} ${name}`, does: () => does(one) }));
  return [
    ...each('killed', (one) => one.kill('SIGKILL')),
    ...each('killed', (one) => one.kill('SIGKILL')),
    ...each('told to stop', (one) => one.kill('SIGTERM')),
    // Long enough to lose its leases, and then it goes on.
    ...killed
      .filter(({ role }) => role !== 'api')
      .map((one) => ({ name: `${one.name} frozen`, does: () => one.freeze(frozenForMs) })),
    { name: 'PostgreSQL killed', does: () => postgres.crash('postmaster') },
    { name: 'PostgreSQL killed', does: () => postgres.crash('postmaster') },
    { name: 'a process of PostgreSQL killed', does: () => postgres.crash('backend') },
  ];
};

type Pace = { random(): number; meanPauseMs: number; say(line: string): void };

/** One after the other, in random order with random pauses, until it is told to end. */
export const startDisturbing = (
  installation: Installation,
  { count }: Protocol,
  { random, meanPauseMs, say }: Pace,
) => {
  const disturbances = disturbancesOf(installation);
  const ending = Promise.withResolvers<void>();
  let isOver = false;
  const run = async () => {
    for (;;) {
      const pauseMs = meanPauseMs * (0.25 + 1.5 * random());
      await Promise.race([Bun.sleep(pauseMs), ending.promise]);
      if (isOver) return;
      const next = disturbances[Math.floor(random() * disturbances.length)];
      if (!next) return;
      say(next.name);
      count(next.name);
      await next.does();
    }
  };
  const running = run();
  return {
    async end() {
      isOver = true;
      ending.resolve();
      await running;
    },
  };
};
