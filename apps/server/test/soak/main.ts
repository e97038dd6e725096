/**
 * Mixed load on two processes of each role while any process and the database are killed at random:
 *
 *   npm run soak -- [--minutes 60] [--communities 4] [--pause 30] [--seed 1]
 *
 * `--pause` is the mean time in seconds between two disturbances. It ends with what was done, what grew
 * and what was violated, and with exit code 1 where anything was.
 */
import { parseArgs } from 'node:util';
import { removeSharedDataDir } from '../harness/data-dir.ts';
import { sharedSimulator } from '../harness/simulator/start.ts';
import { type SoakResult, soak } from './soak.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const printResult = ({ protocol, growth, tables, errors }: SoakResult): boolean => {
  say('\nDone');
  for (const [what, times] of protocol.counts()) say(`  ${what.padEnd(34)} ${times}`);
  say('\nFrom the second quarter of the time to the last');
  for (const { name, from, to, unit, isFlat } of growth) {
    const change = `${from.toFixed(0)} to ${to.toFixed(0)} ${unit}`;
    say(`  ${name.padEnd(34)} ${change.padEnd(20)} ${isFlat ? 'flat' : 'GREW'}`);
  }
  say('\nTables, from the end of the first quarter: rows, and KiB with indexes');
  for (const { name, from, to, fault } of tables) {
    if (to.rows === from.rows && to.bytes === from.bytes) continue;
    const rows = `${from.rows} to ${to.rows}`;
    const space = `${(from.bytes / 1024).toFixed(0)} to ${(to.bytes / 1024).toFixed(0)}`;
    say(`  ${name.padEnd(34)} ${rows.padEnd(20)} ${space.padEnd(20)} ${fault || 'flat'}`);
  }
  say('\nLogged as errors since each process was last started');
  for (const [what, times] of errors) say(`  ${String(times).padStart(6)}  ${what}`);
  const faults = [...protocol.violations(), ...protocol.failedRequests()];
  say(`\nViolations and failed requests: ${faults.length}`);
  for (const fault of faults) say(`  ${fault}`);
  const isFlat = growth.every((one) => one.isFlat) && tables.every(({ fault }) => fault === '');
  return isFlat && faults.length === 0;
};

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    communities: { type: 'string', default: '4' },
    pause: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
  },
});

try {
  const result = await soak({
    minutes: Number(values.minutes),
    communities: Number(values.communities),
    meanPauseMs: Number(values.pause) * 1000,
    seed: Number(values.seed),
    say,
  });
  process.exitCode = printResult(result) ? 0 : 1;
} finally {
  await (await sharedSimulator()).stop();
  removeSharedDataDir();
}
process.exit();
