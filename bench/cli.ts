import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFile } from '../apps/cli/build.ts';
import { print, printTable, verdict } from './lib/print.ts';
import { median } from './lib/statistics.ts';

const turns = 20;
const goalMs = 100;

/** How much longer the command line takes than a program that does as little as can be. */
export const measureCli = async (): Promise<void> => {
  print(`cli: from the start to the end of a command, median of ${turns} turns`);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const service = Bun.serve({ port: 0, fetch: () => Response.json(page) });
  try {
    const programs = await writePrograms(folder, service.url.href);
    const runtimes = [Bun.which('node'), process.execPath].filter((path) => path !== null);
    const rows = [];
    for (const runtime of runtimes) rows.push(...(await measureRuntime(runtime, programs)));
    printTable(
      ['command', 'bare ms', 'holdfast ms', 'more ms', 'more processor ms'],
      rows.map(({ name, bare, cli }) => [
        ...[name, bare.wallMs.toFixed(0), cli.wallMs.toFixed(0)],
        ...[(cli.wallMs - bare.wallMs).toFixed(0), (cli.processorMs - bare.processorMs).toFixed(0)],
      ]),
    );
    const isReached = rows.every(({ bare, cli }) => cli.wallMs - bare.wallMs < goalMs);
    print(`  less than ${goalMs} ms more: ${verdict(isReached)}\n`);
  } finally {
    await service.stop(true);
    await rm(folder, { recursive: true });
  }
};

/** What the stub answers to `servers list`. */
const page = {
  data: [{ id: crypto.randomUUID(), name: 'Harbour' }],
  pagination: { page: 1, limit: 20, total: 1, totalPages: 1 },
};

type Pair = { name: string; bare: string[]; cli: string[]; url: string };

/** Each command of the published file, and the shortest program that does the same. */
const writePrograms = async (folder: string, url: string): Promise<Pair[]> => {
  const [cli, bare, list] = ['holdfast', 'bare', 'list'].map((name) => join(folder, `${name}.mjs`));
  if (!cli || !bare || !list) throw new Error('There are three names');
  await buildFile(cli);
  await Bun.write(bare, "process.stdout.write('1\\n');\n");
  const request = `await (await fetch(${JSON.stringify(url)})).json()`;
  await Bun.write(list, `process.stdout.write(JSON.stringify(${request}));\n`);
  return [
    { name: '--version', bare: [bare], cli: [cli, '--version'], url },
    { name: '--help', bare: [bare], cli: [cli, '--help'], url },
    { name: 'servers list', bare: [list], cli: [cli, 'servers', 'list'], url },
  ];
};

const measureRuntime = async (runtime: string, pairs: Pair[]) => {
  const rows = [];
  for (const { name, bare, cli, url } of pairs) {
    const [bareRuns, cliRuns]: [Run[], Run[]] = [[], []];
    for (let turn = 0; turn < turns; turn++) {
      bareRuns.push(await timeRun([runtime, ...bare], url));
      cliRuns.push(await timeRun([runtime, ...cli], url));
    }
    const label = `${name} in ${runtime.split('/').at(-1)}`;
    rows.push({ name: label, bare: medianRun(bareRuns), cli: medianRun(cliRuns) });
  }
  return rows;
};

type Run = { wallMs: number; processorMs: number };

const medianRun = (runs: Run[]): Run => ({
  wallMs: median(runs.map(({ wallMs }) => wallMs)),
  processorMs: median(runs.map(({ processorMs }) => processorMs)),
});

const timeRun = async (command: string[], url: string): Promise<Run> => {
  const env = { ...process.env, HOLDFAST_URL: url, HOLDFAST_API_KEY: 'holdfast_bench' };
  const startedAt = performance.now();
  const child = Bun.spawn(command, { stdout: 'ignore', env });
  const exitCode = await child.exited;
  const wallMs = performance.now() - startedAt;
  if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}`);
  return { wallMs, processorMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 };
};
