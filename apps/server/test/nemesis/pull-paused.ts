import { eventually } from '../eventually.ts';
import { countWrites, watchWrites } from '../watch-writes.ts';
import { clearPast } from './kill.ts';
import type { Lane } from './lane.ts';
import type { Outcome } from './outcome.ts';
import { judgePull } from './pull-checks.ts';
import { gatherPeople, type Person } from './pull-people.ts';
import { openPullPlace, type PullPlace } from './pull-place.ts';
import { whileRefreshing } from './pull-refreshing.ts';
import { beginPull, followPull, lastLogged, type PullRecord } from './pull-run.ts';
import { createRandom } from './random.ts';
import { doRuns, type Run, type SweepOptions } from './sweep.ts';

type PausedPlace = PullPlace & {
  /** The user of the database under which the first worker writes, and nobody else does. */
  user: string;
  /** For the other worker: as a user of its own, and past the proxy. */
  settings: Record<string, string>;
};

/** Begins a pull and resolves with it in the moment in which its worker is to be stopped. */
export type ReachMoment = (place: PullPlace, people: Person[]) => Promise<PullRecord>;

/** A worker is stopped for 45 s: once while it refreshes tokens, and `--runs` times at random. */
export const sweepPausedPulls = (options: SweepOptions): Promise<Outcome[]> => {
  const random = createRandom(options.seed);
  const named = (name: string, reach: ReachMoment): Run<PausedPlace> => ({
    name,
    run: (place) => runPausedPull(place, name, reach),
  });
  const runs = Array.from({ length: options.randomKills }, (_, at) => {
    const moment = { processed: Math.floor(random() * mostBefore), laterMs: random() * slowMs };
    return named(`stopped worker ${at + 1}`, afterSome(moment));
  });
  const all = [named('stopped while it refreshes', whileRefreshing), ...runs];
  return doRuns(all, options, openPausedPlace);
};

const otherUser = 'other';

const openPausedPlace = async (): Promise<PausedPlace> => {
  const place = await openPullPlace();
  const sql = place.lane.db.$client;
  await watchWrites(sql);
  await sql`create role ${sql(otherUser)} superuser login password 'other'`.simple();
  const url = new URL(place.lane.databaseUrl);
  const user = url.username;
  Object.assign(url, { username: otherUser, password: 'other' });
  const settings = { DATABASE_URL: url.href, PLATFORM_API_URL: place.lane.simulator.apiUrl };
  return { ...place, user, settings };
};

const pausedMs = 45_000;
/** One call in so long: sixty members take longer than the pause, so that it wakes in the middle. */
const slowMs = 1000;
const mostBefore = 12;
const lateMs = 5000;

const afterSome =
  ({ processed, laterMs }: { processed: number; laterMs: number }): ReachMoment =>
  async (place) => {
    const first = await beginPull(place);
    await untilProcessed(place.lane, first.id, processed);
    await Bun.sleep(laterMs);
    return first;
  };

const runPausedPull = async (
  place: PausedPlace,
  name: string,
  reach: ReachMoment,
): Promise<Outcome> => {
  const { lane, proxy, settings } = place;
  const people = await gatherPeople(place);
  await clearPast(lane);
  const slowness = await slowDown(lane);
  const first = await reach(place, people);
  lane.worker().kill('SIGSTOP');
  const reading = followPull(lane, first);
  const death = { atMs: Date.now(), logSeq: await lastLogged(lane) };
  const othersBefore = await countWrites(lane.db.$client, { user: otherUser });
  const other = await lane.startOther(settings);
  await Bun.sleep(death.atMs + pausedMs - Date.now());
  // Counts from here on: whatever comes through the proxy now is of the one that wakes.
  proxy.arm();
  const violations = await takeOverViolations(place, first.id, othersBefore);
  const written = await writesOf(place);
  lane.worker().kill('SIGCONT');
  const readings = await reading;
  await Bun.sleep(lateMs);
  await slowness.end();
  violations.push(...wakingViolations(proxy.seen(), (await writesOf(place)) - written));
  violations.push(...(await judgePull(place, { people, readings, death })));
  other.kill('SIGTERM');
  await other.exited;
  const isResumed = readings.at(-1)?.status === 'completed';
  return { name, kills: 0, isResumed, violations };
};

const writesOf = ({ lane, user }: PausedPlace) => countWrites(lane.db.$client, { user });

const wakingViolations = (calls: number, writes: number): string[] => [
  ...(calls > 1 ? [`it made ${calls} calls after it woke`] : []),
  ...(writes > 0 ? [`it wrote ${writes} rows after it woke`] : []),
];

/** The other has it in hand by now, and has not finished it. */
const takeOverViolations = async (
  { lane }: PausedPlace,
  pullId: string,
  othersBefore: number,
): Promise<string[]> => {
  const others = await countWrites(lane.db.$client, { user: otherUser });
  const { status } = await readPull(lane, pullId);
  return [
    ...(others > othersBefore ? [] : ['nobody had taken it over when it woke']),
    ...(status === 'running' ? [] : [`it was ${status} when it woke`]),
  ];
};

const readPull = async ({ tenant }: Lane, pullId: string) =>
  (await tenant.call('GET', `/api/v1/pulls/${pullId}`)).body.data;

const untilProcessed = (lane: Lane, pullId: string, least: number): Promise<void> =>
  eventually(30_000, async () => {
    const { processed } = await readPull(lane, pullId);
    if (processed < least) throw new Error(`Only ${processed} were called`);
  });

const slowDown = async ({ simulator }: Lane): Promise<{ end(): Promise<void> }> => {
  const wide = await simulator.control('GET', '/limits');
  const routes = { 'PUT /guilds/:id/members/:id': { limit: 1, perMs: slowMs } };
  await simulator.control('PUT', '/limits', { ...wide, routes });
  return { end: () => simulator.control('PUT', '/limits', wide) };
};
