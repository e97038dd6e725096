import { type BackupPlace, openBackupPlace } from './backup-place.ts';
import { runBackup } from './backup-run.ts';
import { type KillPoint, type Moment, moments, nameOf } from './kill.ts';
import type { Outcome } from './outcome.ts';
import { createRandom, pickSpread } from './random.ts';
import { doRuns, type Run, type SweepOptions } from './sweep.ts';

const neverKilled: KillPoint = { at: 'call', nth: 1_000_000, when: 'before' };

/** How many platform calls and blob writes a backup of a guild makes that it knows nothing of. */
const countSteps = async (place: BackupPlace): Promise<{ calls: number; writes: number }> => {
  const { violations } = await runBackup(place, neverKilled);
  if (violations.length > 0) throw new Error(`Without a kill: ${violations.join('; ')}`);
  return { calls: (await place.lane.readLog()).length, writes: place.proxy.seen() };
};

/** Every call and every blob write of a backup at every moment, and kills at random times. */
export const sweepBackups = async (options: SweepOptions): Promise<Outcome[]> => {
  const first = await openBackupPlace();
  const startedAt = performance.now();
  const { calls, writes } = await countSteps(first);
  const tookMs = performance.now() - startedAt;
  options.say(`a backup makes ${calls} calls and ${writes} blob writes`);
  const random = createRandom(options.seed);
  const all = [...pointsOf('call', calls), ...pointsOf('write', writes)];
  const timed = Array.from({ length: options.randomKills }, (): KillPoint => {
    return { at: 'time', afterMs: Math.floor(random() * tookMs) };
  });
  const points = [...pickSpread(all, options.sample ?? all.length, random), ...timed];
  const places = [first];
  const open = async () => places.shift() ?? (await openBackupPlace());
  return doRuns(points.map(killRun), options, open);
};

const pointsOf = (at: 'call' | 'write', count: number): KillPoint[] =>
  Array.from({ length: count }, (_, index) =>
    moments.map((when: Moment): KillPoint => ({ at, nth: index + 1, when })),
  ).flat();

const killRun = (point: KillPoint): Run<BackupPlace> => ({
  name: nameOf(point),
  run: (place) => runBackup(place, point),
});
