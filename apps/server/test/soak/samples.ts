import { readdir, readFile } from 'node:fs/promises';
import type { SQL } from 'bun';
import type { Installation } from './installation.ts';
import { countConnections } from './queries.ts';

export type Sample = { minute: number; value: number };

/** What must not grow, by its name. */
export type Series = Map<string, Sample[]>;

const everyMs = 5000;
const rowsOfLogKept = 30_000;

/** Measures the processes that live through the whole time, and the database's connections. */
export const startSampling = (installation: Installation, sql: SQL) => {
  const series: Series = new Map();
  const startedAt = performance.now();
  const note = (name: string, value: number) => {
    const minute = (performance.now() - startedAt) / 60_000;
    series.set(name, [...(series.get(name) ?? []), { minute, value }]);
  };
  const lasting = installation.processes.filter(({ name }) => name.endsWith('-1'));
  let isOver = false;
  const run = async () => {
    for (let turn = 1; !isOver; turn++) {
      for (const one of lasting) {
        note(`${one.name}, MiB`, await residentMiB(one.pid()));
        note(`${one.name}, open files`, (await readdir(`/proc/${one.pid()}/fd`)).length);
      }
      // Not there after a crash; then the next sample counts.
      const connections = await countConnections(sql).catch(() => undefined);
      if (connections !== undefined) note('connections', connections);
      // The platform's own log is no part of the service.
      if (turn % Math.ceil(rowsOfLogKept / everyMs) === 0) {
        await installation.simulator.control('DELETE', '/log');
      }
      await Bun.sleep(everyMs);
    }
  };
  const running = run();
  return {
    async end(): Promise<Series> {
      isOver = true;
      await running;
      return series;
    },
  };
};

const residentMiB = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};
