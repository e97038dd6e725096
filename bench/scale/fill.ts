import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrateDatabase } from '../../apps/server/src/db/migrate.ts';
import { print, seconds } from '../lib/print.ts';
import { type Cluster, loadSettings, openCluster, serviceSettings } from './cluster.ts';
import { makeKeysOf, makeReferences, takeAway } from './queries/schema.ts';
import {
  countSlots,
  finish,
  isDone,
  readSize,
  runStep,
  type Step,
  vacuum,
} from './queries/steps.ts';

/**
 * Fills a PostgreSQL of its own with as many members as asked for, and everything else in proportion. What was
 * interrupted goes on with the table that it had reached.
 *
 *     bun bench/scale/fill.ts --data FOLDER --members 20000000 --workers 0
 */
const { values: asked } = parseArgs({
  options: {
    data: { type: 'string' },
    members: { type: 'string', default: '20000000' },
    workers: { type: 'string', default: '2' },
  },
});

const folderOfFills = join(import.meta.dir, 'fill');

/** What the statements call `:members`, `:accounts` and so on. */
const sizesOf = (members: number): Record<string, number> => {
  const servers = Math.max(50, Math.round(members / 400));
  return {
    members,
    accounts: Math.max(10, Math.round(members / 2000)),
    servers,
    largeServers: Math.max(4, Math.round(servers / 500)),
    backups: servers * 40,
  };
};

const readSteps = async (): Promise<Step[]> => {
  const files = (await readdir(folderOfFills)).sort();
  const texts = await Promise.all(files.map((file) => Bun.file(join(folderOfFills, file)).text()));
  return texts
    .flatMap((text) => text.split(/^-- fill /m).slice(1))
    .map((part) => {
      const end = part.indexOf('\n');
      return { name: part.slice(0, end).trim(), statements: part.slice(end) };
    });
};

const withSizes = (statements: string, sizes: Record<string, number>): string =>
  statements.replace(/(?<!:):([a-zA-Z]+)/g, (_, name: string) => {
    const size = sizes[name];
    if (size === undefined) throw new Error(`There is no size ${name}`);
    return String(size);
  });

const fillAll = async ({ sql }: Cluster, sizes: Record<string, number>): Promise<void> => {
  await takeAway(sql);
  for (const { name, statements } of await readSteps()) {
    const step = { name, statements: withSizes(statements, sizes) };
    const startedAt = performance.now();
    if (!(await isDone(sql, step))) {
      const rows = await runStep(sql, step);
      const filledMs = performance.now() - startedAt;
      await vacuum(sql, name);
      print(`${name}: ${rows} rows in ${seconds(filledMs)}`);
    }
    await makeKeysOf(sql, name);
    print(`${name}: ready after ${seconds(performance.now() - startedAt)}`);
    if (name === 'scale.slots') sizes.slots = await countSlots(sql);
  }
  await makeReferences(sql);
  await finish(sql);
};

const fill = async (folder: string, members: number): Promise<void> => {
  const startedAt = performance.now();
  const loading = await openCluster(folder, loadSettings(Number(asked.workers)));
  try {
    await migrateDatabase(loading.url);
    await fillAll(loading, sizesOf(members));
    print(`${((await readSize(loading.sql)) / 2 ** 30).toFixed(1)} GiB`);
  } finally {
    await loading.stop();
  }
  await (await openCluster(folder, serviceSettings)).stop();
  print(`filled in ${seconds(performance.now() - startedAt)}`);
};

if (asked.data === undefined) throw new Error('--data names the folder to fill');
await fill(asked.data, Number(asked.members));
