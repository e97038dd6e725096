import type { PullResult } from '@holdfast/contract';
import type { LogRow } from '@holdfast/simulator';
import type { Person } from './pull-people.ts';
import type { PullPlace } from './pull-place.ts';
import type { PullRecord, PullRun } from './pull-run.ts';
import { countPullEnds, listPullResults } from './queries.ts';

/** Everything that must hold of a pull that is at its end, however its worker died. */
export const judgePull = async (place: PullPlace, run: PullRun): Promise<string[]> => {
  const { lane } = place;
  const log = await lane.readLog();
  const last = run.readings.at(-1);
  if (!last) return ['it was never read'];
  const wanted = wantedOf(run, log);
  const stored = await listPullResults(lane.db, last.id);
  return [
    ...endViolations(last, run),
    ...lossViolations(run, wanted),
    ...resultViolations(last, stored, wanted),
    ...additionViolations(log, wanted),
    ...(await guildViolations(place, wanted)),
    ...progressViolations(run),
    ...takeUpViolations(run, log, last),
    ...(await auditViolations(place, last)),
  ];
};

type Wanted = Map<string, PullResult>;

/**
 * Whose new tokens were lost between answer and commit: the old pair is worth nothing by then, so it is
 * refused when it is shown again, and only an invite reaches them. All others must end as they would
 * have without any death.
 */
const wantedOf = ({ people, death }: PullRun, log: LogRow[]): Wanted => {
  const refreshes = Map.groupBy(log.filter(isRefresh), tokenShown);
  const isLost = ({ refreshToken }: Person): boolean => {
    const [first, ...again] = refreshes.get(refreshToken) ?? [];
    return death !== undefined && first?.applied === true && again.length > 0;
  };
  return new Map(
    people.map((person) => [person.platformId, isLost(person) ? 'tokenInvalid' : person.result]),
  );
};

const isRefresh = ({ route }: LogRow): boolean => route === '/oauth2/token';
const tokenShown = ({ body }: LogRow): string =>
  new URLSearchParams(String(body)).get('refresh_token') ?? '';

const endViolations = (last: PullRecord, { people }: PullRun): string[] => {
  const { status, error, total, processed, progress } = last;
  const isWhole = total === people.length && processed === total && progress === 100;
  if (status === 'completed' && isWhole) return [];
  return [`it is ${status}, ${processed} of ${total}: ${error ?? 'no reason given'}`];
};

/** Those who were refreshed ahead when the worker died, and the one at hand. */
const mostLost = 5;

const lossViolations = ({ people }: PullRun, wanted: Wanted): string[] => {
  const lost = people.filter(({ platformId, result }) => wanted.get(platformId) !== result);
  return lost.length > mostLost ? [`the new tokens of ${lost.length} people were lost`] : [];
};

type Stored = Awaited<ReturnType<typeof listPullResults>>;

const resultViolations = (last: PullRecord, stored: Stored, wanted: Wanted): string[] => {
  const wrong = stored.filter(({ platformId, result }) => wanted.get(platformId ?? '') !== result);
  const people = new Set(stored.map(({ platformId }) => platformId));
  const isEachOnce = people.size === wanted.size && stored.length === wanted.size;
  const counts = Map.groupBy(stored, ({ result }) => result);
  const miscounted = Object.entries(last.results).filter(
    // Its keys are the results.
    ([result, count]) => (counts.get(result as PullResult)?.length ?? 0) !== count,
  );
  return [
    ...(isEachOnce ? [] : [`${stored.length} results of ${people.size} people`]),
    ...wrong.map(
      ({ platformId, result }) => `${result} instead of ${wanted.get(platformId ?? '')}`,
    ),
    ...miscounted.map(([result, count]) => `${count} were counted as ${result}`),
  ];
};

const memberRoute = '/guilds/:id/members/:id';

const additionViolations = (log: LogRow[], wanted: Wanted): string[] => {
  const additions = log.filter(
    ({ method, route, status }) => method === 'PUT' && route === memberRoute && status === 201,
  );
  const times = Map.groupBy(additions, ({ path }) => path.split('/').at(-1) ?? '');
  return [...wanted].flatMap(([platformId, result]) => {
    const count = times.get(platformId)?.length ?? 0;
    if (count > 1) return [`one was added ${count} times`];
    return result === 'joined' && count === 0 ? ['one who joined was never added'] : [];
  });
};

/** Who joined and who was there are in it, with the role; nobody else of these people is. */
const guildViolations = async ({ lane, roleId }: PullPlace, wanted: Wanted): Promise<string[]> => {
  const { members } = await lane.readGuild();
  const present = new Map(members.map(({ user, roles }) => [user.id, roles]));
  return [...wanted].flatMap(([platformId, result]) => {
    const roles = present.get(platformId);
    const shouldBe = result === 'joined' || result === 'alreadyMember';
    if (shouldBe !== (roles !== undefined)) return [`one who is ${result} is in the wrong place`];
    return shouldBe && !roles?.includes(roleId) ? [`one who is ${result} lacks the role`] : [];
  });
};

const progressViolations = ({ readings }: PullRun): string[] => {
  const setbacks = readings.filter((reading, at) => {
    const before = readings[at - 1] ?? reading;
    return reading.progress < before.progress || reading.processed < before.processed;
  });
  return setbacks.length > 0 ? [`its progress went back ${setbacks.length} times`] : [];
};

const takenUpWithinMs = 60_000;

const takeUpViolations = (
  { death }: PullRun,
  log: LogRow[],
  { completedAt }: PullRecord,
): string[] => {
  if (!death) return [];
  const next = log.find(({ seq }) => seq > death.logSeq)?.at ?? completedAt;
  const tookMs = next === null ? Number.POSITIVE_INFINITY : Date.parse(next) - death.atMs;
  return tookMs < takenUpWithinMs ? [] : [`it was taken up again only after ${tookMs} ms`];
};

const auditViolations = async ({ lane }: PullPlace, { id }: PullRecord): Promise<string[]> => {
  const told = await countPullEnds(lane.db, { accountId: lane.tenant.accountId, pullId: id });
  return told === 1 ? [] : [`its end was recorded ${told} times`];
};
