// Takes about 130 s: started before shorter ones.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { stopServices } from '../../harness/running-service.ts';
import { runBackup } from '../../nemesis/backups/run.ts';
import { type BackupSetup, openBackupSetup } from '../../nemesis/backups/setup.ts';
import { backUp } from '../../nemesis/lane/calls.ts';
import type { KillPoint } from '../../nemesis/lane/kill.ts';
import { type Outcome, summarize } from '../../nemesis/outcome.ts';
import { runPull } from '../../nemesis/pulls/run.ts';
import { openPullSetup, type PullSetup } from '../../nemesis/pulls/setup.ts';
import { runDeletedMeanwhile, runParallelRestores } from '../../nemesis/restores/interruptions.ts';
import { runRestore } from '../../nemesis/restores/run.ts';

/** A sample; `npm run nemesis` kills at every point there is. */

type RestoreSetup = BackupSetup & { backupId: string };

const openSetup = async (): Promise<RestoreSetup> => {
  const setup = await openBackupSetup();
  return { ...setup, backupId: await backUp(setup.lane) };
};

/** Two installations share the work: most of a run is waiting. */
let setups: [RestoreSetup, RestoreSetup];
beforeAll(async () => {
  setups = await Promise.all([openSetup(), openSetup()]);
}, 240_000);
afterAll(async () => {
  await Promise.all((setups ?? []).map(({ lane }) => lane.close()));
  await stopServices();
});

const killAll = async (
  points: KillPoint[],
  run: (setup: RestoreSetup, point: KillPoint) => Promise<Outcome>,
) => {
  const waiting = [...points];
  const outcomes: Outcome[] = [];
  const workThrough = async (setup: RestoreSetup) => {
    for (let point = waiting.shift(); point; point = waiting.shift()) {
      outcomes.push(await run(setup, point));
    }
  };
  await Promise.all(setups.map(workThrough));
  return summarize(outcomes);
};

const allFine = (kills: number) => ({ runs: kills, kills, resumed: kills, violations: [] });

test('a restore whose worker is killed goes on by itself, makes nothing twice and opens nothing', async () => {
  const points: KillPoint[] = [
    // The safety backup, the plan, closing, building, opening and deleting.
    { at: 'call', nth: 3, when: 'afterApply' },
    { at: 'call', nth: 9, when: 'before' },
    { at: 'call', nth: 16, when: 'afterAnswer' },
    { at: 'call', nth: 45, when: 'afterApply' },
    { at: 'call', nth: 85, when: 'before' },
    { at: 'call', nth: 110, when: 'afterAnswer' },
  ];
  const tally = await killAll(points, ({ lane, backupId }, point) =>
    runRestore(lane, backupId, point),
  );
  expect(tally).toEqual(allFine(points.length));
}, 180_000);

test('a backup whose worker is killed is whole in the end, and leaves nothing behind', async () => {
  const points: KillPoint[] = [
    { at: 'call', nth: 2, when: 'afterApply' },
    { at: 'write', nth: 9, when: 'before' },
    { at: 'write', nth: 14, when: 'afterApply' },
  ];
  expect(await killAll(points, runBackup)).toEqual(allFine(points.length));
});

test('of two restores of one server one runs, and one deleted meanwhile gets nothing more', async () => {
  const [one, other] = setups;
  const outcomes = await Promise.all([
    runParallelRestores(one.lane, one.backupId),
    runDeletedMeanwhile(other.lane, other.backupId),
  ]);
  expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
});

describe('pulls', () => {
  let setup: PullSetup;
  beforeAll(async () => {
    setup = await openPullSetup();
  });
  afterAll(() => setup?.lane.close(), 120_000);

  test('a pull whose worker is killed goes on by itself: each has one result, nobody is added twice', async () => {
    const points: KillPoint[] = [
      // Reading the guild, one who joins, the role of one who is a member already.
      { at: 'call', nth: 2, when: 'before' },
      { at: 'call', nth: 4, when: 'afterApply' },
      { at: 'call', nth: 40, when: 'afterAnswer' },
    ];
    const outcomes: Outcome[] = [];
    for (const point of points) outcomes.push(await runPull(setup, point));
    expect(summarize(outcomes)).toEqual(allFine(points.length));
  });
});
