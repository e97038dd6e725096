import { countWrites, watchWrites } from '../../harness/database-faults/triggers.ts';
import { eventually } from '../../harness/eventually.ts';
import { clearFaultsAndLog } from '../lane/kill.ts';
import type { Lane } from '../lane/lane.ts';
import type { Outcome } from '../outcome.ts';
import { createRandom, doRuns, type Run, type SweepOptions } from '../sweep.ts';
import { checkPull, type PullRecord } from './checks.ts';
import { type Person, preparePeople } from './people.ts';
import { whileRefreshing } from './refreshing.ts';
import { beginPull, followPull, lastLogged } from './run.ts';
import { openPullSetup, type PullSetup } from './setup.ts';

type PausedSetup = PullSetup & {
  /** The user of the database under which the first worker writes, and nobody else does. */
  user: string;
  /** For the other worker: as a user of its own, and past the proxy. */
  settings: Record<string, string>;
};

/** Begins a pull and resolves with it in the moment in which its worker is to be stopped. */
type ReachMoment = (setup: PullSetup, people: Person[]) => Promise<PullRecord>;

/** A worker is stopped for 45 s: once while it refreshes tokens, and `--runs` times at random. */
export const sweepPausedPulls = (options: SweepOptions): Promise<Outcome[]> => {
  const random = createRandom(options.seed);
  const named = (name: string, reach: ReachMoment): Run<PausedSetup> => ({
    name,
    run: (setup) => runPausedPull(setup, name, reach),
  });
  const runs = Array.from({ length: options.randomKills }, (_, at) => {
    const moment = { processed: Math.floor(random() * mostBefore), laterMs: random() * slowMs };
    return named(`stopped worker ${at + 1}`, afterSome(moment));
  });
  const all = [named('stopped while it refreshes', whileRefreshing), ...runs];
  return doRuns(all, options, openPausedSetup);
};

const otherUser = 'other';

const openPausedSetup = async (): Promise<PausedSetup> => {
  const setup = await openPullSetup();
  const sql = setup.lane.db.$client;
  await watchWrites(sql);
  await sql`create role ${sql(otherUser)} superuser login password 'other'`.simple();
  const url = new URL(setup.lane.databaseUrl);
  const user = url.username;
  Object.assign(url, { username: otherUser, password: 'other' });
  const settings = { DATABASE_URL: url.href, PLATFORM_API_URL: setup.lane.simulator.apiUrl };
  return { ...setup, user, settings };
};

const pausedMs = 45_000;
/** One call in so long: sixty members take longer than the pause, so that it wakes in the middle. */
const slowMs = 1000;
const mostBefore = 12;
const lateMs = 5000;

const afterSome =
  ({ processed, laterMs }: { processed: number; laterMs: number }): ReachMoment =>
  async (setup) => {
    const first = await beginPull(setup);
    await untilProcessed(setup.lane, first.id, processed);
    await Bun.sleep(laterMs);
    return first;
  };

const runPausedPull = async (
  setup: PausedSetup,
  name: string,
  reach: ReachMoment,
): Promise<Outcome> => {
  const { lane, proxy, settings } = setup;
  const people = await preparePeople(setup);
  await clearFaultsAndLog(lane);
  const slowness = await slowDown(lane);
  const first = await reach(setup, people);
  lane.worker().kill('SIGSTOP');
  const reading = followPull(lane, first);
  const death = { atMs: Date.now(), logSeq: await lastLogged(lane) };
  const othersBefore = await countWrites(lane.db.$client, { user: otherUser });
  const other = await lane.startOther(settings);
  await Bun.sleep(death.atMs + pausedMs - Date.now());
  // Counts from here on: only the resumed worker uses the proxy.
  proxy.arm();
  const violations = await takeOverViolations(setup, first.id, othersBefore);
  const written = await writesOf(setup);
  lane.worker().kill('SIGCONT');
  const readings = await reading;
  await Bun.sleep(lateMs);
  await slowness.end();
  violations.push(...wakingViolations(proxy.seen(), (await writesOf(setup)) - written));
  violations.push(...(await checkPull(setup, { people, readings, death })));
  other.kill('SIGTERM');
  await other.exited;
  const isResumed = readings.at(-1)?.status === 'completed';
  return { name, kills: 0, isResumed, violations };
};

const writesOf = ({ lane, user }: PausedSetup) => countWrites(lane.db.$client, { user });

const wakingViolations = (calls: number, writes: number): string[] => [
  ...(calls > 1 ? [`it made ${calls} calls after it woke`] : []),
  ...(writes > 0 ? [`it wrote ${writes} rows after it woke`] : []),
];

/** The other worker has taken the pull over and not finished it. */
const takeOverViolations = async (
  { lane }: PausedSetup,
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
