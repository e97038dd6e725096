import { chooseKillPoints, type KillPoint, nameOf, neverKilled } from '../lane/kill.ts';
import type { Outcome } from '../outcome.ts';
import { doRuns, type Run, type SweepOptions } from '../sweep.ts';
import { runProtection } from './run.ts';
import { openProtectionSetup, type ProtectionSetup } from './setup.ts';

/** What an attack makes the service do when nothing is killed: its calls, and its time. */
const measureProtection = async (setup: ProtectionSetup) => {
  const { violations, calls, tookMs } = await runProtection(setup, neverKilled);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  return { calls, tookMs };
};

/**
 * Every call of stopping an attacker, containing the attack, repairing what they did and giving roles back,
 * at every moment, and kills at random times.
 */
export const sweepProtection = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openProtectionSetup();
  const { calls, tookMs } = await measureProtection(first);
  options.say(`an attack makes ${calls} calls and takes ${Math.round(tookMs)} ms`);
  const setups = [first];
  const open = async () => setups.shift() ?? (await openProtectionSetup());
  return doRuns(chooseKillPoints({ calls, tookMs }, options).map(killRun), options, open);
};

const killRun = (point: KillPoint): Run<ProtectionSetup> => ({
  name: nameOf(point),
  run: (setup) => runProtection(setup, point),
});
