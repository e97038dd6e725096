import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type BackupPlace, openBackupPlace } from '../nemesis/backup-place.ts';
import { runBackup } from '../nemesis/backup-run.ts';
import type { KillPoint } from '../nemesis/kill.ts';
import { backUp } from '../nemesis/lane-calls.ts';
import { type Outcome, tallyUp } from '../nemesis/outcome.ts';
import { openPullPlace, type PullPlace } from '../nemesis/pull-place.ts';
import { runPull } from '../nemesis/pull-run.ts';
import { runDeletedMeanwhile, runParallelRestores } from '../nemesis/restore-edges.ts';
import { runRestore } from '../nemesis/restore-run.ts';
import { endScene } from './scene.ts';

/** A sample; `npm run nemesis` kills at every point there is. */

type Place = BackupPlace & { backupId: string };

const openPlace = async (): Promise<Place> => {
  const place = await openBackupPlace();
  return { ...place, backupId: await backUp(place.lane) };
};

/** Two installations share the work: most of a run is waiting. */
let places: [Place, Place];
beforeAll(async () => {
  places = await Promise.all([openPlace(), openPlace()]);
}, 90_000);
afterAll(async () => {
  await Promise.all((places ?? []).map(({ lane }) => lane.close()));
  await endScene();
}, 60_000);

const killAll = async (
  points: KillPoint[],
  run: (place: Place, point: KillPoint) => Promise<Outcome>,
) => {
  const waiting = [...points];
  const outcomes: Outcome[] = [];
  const workThrough = async (place: Place) => {
    for (let point = waiting.shift(); point; point = waiting.shift()) {
      outcomes.push(await run(place, point));
    }
  };
  await Promise.all(places.map(workThrough));
  return tallyUp(outcomes);
};

const allFine = (kills: number) => ({ runs: kills, kills, resumed: kills, violations: [] });

test('a restore whose worker is killed goes on by itself, makes nothing twice and opens nothing', async () => {
  const points: KillPoint[] = [
    // The safety snapshot, the plan, closing, building, opening and deleting.
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
}, 120_000);

test('of two restores of one server one runs, and one deleted meanwhile gets nothing more', async () => {
  const [one, other] = places;
  const outcomes = await Promise.all([
    runParallelRestores(one.lane, one.backupId),
    runDeletedMeanwhile(other.lane, other.backupId),
  ]);
  expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
}, 120_000);

describe('pulls', () => {
  let place: PullPlace;
  beforeAll(async () => {
    place = await openPullPlace();
  }, 60_000);
  afterAll(() => place?.lane.close(), 60_000);

  test('a pull whose worker is killed goes on by itself: each has one result, nobody is added twice', async () => {
    const points: KillPoint[] = [
      // The first look at the server, one who joins, the role of one who is there.
      { at: 'call', nth: 2, when: 'before' },
      { at: 'call', nth: 4, when: 'afterApply' },
      { at: 'call', nth: 40, when: 'afterAnswer' },
    ];
    const outcomes: Outcome[] = [];
    for (const point of points) outcomes.push(await runPull(place, point));
    expect(tallyUp(outcomes)).toEqual(allFine(points.length));
  }, 120_000);
});
