import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFile } from '../apps/cli/build.ts';
import { print, printTable, verdict } from './lib/print.ts';
import { median } from './lib/statistics.ts';

const turns = 15;
const goalMs = 100;

/** How much longer `holdfast --version` takes than a program that does nothing. */
export const measureCli = async (): Promise<void> => {
  print(`cli: from the start to the end of --version, ${turns} turns`);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    const [cli, bare] = [join(folder, 'holdfast.mjs'), join(folder, 'bare.mjs')];
    await buildFile(cli);
    await Bun.write(bare, "process.stdout.write('1\\n');\n");
    const runtimes = [Bun.which('node'), process.execPath].filter((path) => path !== null);
    const rows = [];
    for (const runtime of runtimes) rows.push(await measureRuntime(runtime, cli, bare));
    printTable(
      ['runtime', 'bare ms', 'holdfast ms', 'more'],
      rows.map(({ runtime, bareMs, cliMs }) => [
        ...[runtime, bareMs.toFixed(0), cliMs.toFixed(0), (cliMs - bareMs).toFixed(0)],
      ]),
    );
    const isReached = rows.every(({ bareMs, cliMs }) => cliMs - bareMs < goalMs);
    print(`  less than ${goalMs} ms more: ${verdict(isReached)}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const measureRuntime = async (runtime: string, cli: string, bare: string) => {
  const [bareTimes, cliTimes]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    bareTimes.push(await timeRun([runtime, bare]));
    cliTimes.push(await timeRun([runtime, cli, '--version']));
  }
  return { runtime, bareMs: median(bareTimes), cliMs: median(cliTimes) };
};

const timeRun = async (command: string[]): Promise<number> => {
  const startedAt = performance.now();
  await Bun.spawn(command, { stdout: 'ignore' }).exited;
  return performance.now() - startedAt;
};
