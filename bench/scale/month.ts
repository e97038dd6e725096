import { join } from 'node:path';
import { print, printTable, seconds } from '../lib/print.ts';
import { openCluster, serviceSettings } from './cluster.ts';
import {
  readPlannedSizes,
  readTableSizes,
  resetCounts,
  runTick,
  type TableSize,
} from './queries/bloat.ts';

const days = 30;
const ticksPerDay = 8;
const shown = 16;

/**
 * A month passes in minutes, so autovacuum looks more often and need not spare the disk; when it vacuums is as
 * shipped, or as migrations have set it for a table.
 */
const compressed = { autovacuum_naptime: '1s', autovacuum_vacuum_cost_delay: '0' };

/** What a month of additions, changes and deletions leaves of tables and indexes. It changes the data. */
export const measureMonth = async (folder?: string): Promise<void> => {
  if (!folder) throw new Error('--large names a folder that bench:fill filled');
  const cluster = await openCluster(folder, { ...serviceSettings, ...compressed });
  try {
    const { sql } = cluster;
    await resetCounts(sql);
    const before = await readTableSizes(sql, 100);
    const sizes = await readPlannedSizes(sql);
    const text = await Bun.file(join(import.meta.dir, 'month.sql')).text();
    const startedAt = performance.now();
    for (let tick = 1; tick <= days * ticksPerDay; tick++) {
      await runTick(sql, statementsOf(text, { ...sizes, tick }));
    }
    print(`month: ${days} days in ${seconds(performance.now() - startedAt)}`);
    report(before, await readTableSizes(sql, 100));
  } finally {
    await cluster.stop();
  }
};

type Sizes = { members: number; servers: number; tokens: number; tick: number };

const statementsOf = (text: string, { members, servers, tokens, tick }: Sizes): string[] => {
  const values: Record<string, number> = {
    ...{ tick, servers, mark: Date.now() },
    newcomers: Math.ceil(members / 1095 / ticksPerDay),
    tokens: Math.ceil(tokens / 5 / ticksPerDay),
  };
  return text
    .replace(/^--.*$/gm, '')
    .replace(/(?<!:):([a-z]+)/g, (_, name: string) => String(values[name]))
    .split(';')
    .filter((statement) => statement.trim() !== '');
};

const mib = (value: number): string => value.toFixed(1);

const report = (before: readonly TableSize[], after: readonly TableSize[]): void => {
  const rows = after
    .toSorted((one, other) => other.changed - one.changed)
    .slice(0, shown)
    .map(({ name, tableMiB, indexMiB, rows, dead, changed, vacuums }) => {
      const was = before.find((other) => other.name === name);
      return [
        ...[name, rows.toFixed(0), changed.toFixed(0), vacuums.toFixed(0), dead.toFixed(0)],
        ...[mib(was?.tableMiB ?? 0), mib(tableMiB), mib(was?.indexMiB ?? 0), mib(indexMiB)],
      ];
    });
  printTable(
    [
      ...['', 'rows', 'changed', 'vacuums', 'dead'],
      ...['MiB before', 'after', 'indexes before', 'after'],
    ],
    rows,
  );
};
