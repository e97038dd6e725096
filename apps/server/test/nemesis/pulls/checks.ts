import type { PullResult } from '@holdfast/contract';
import type { LogRow } from '@holdfast/simulator';
import { countPullEnds, listPullResults } from '../lane/queries.ts';
import { type Person, savedNick } from './people.ts';
import type { PullSetup } from './setup.ts';

export type PullRecord = {
  id: string;
  status: string;
  progress: number;
  total: number;
  processed: number;
  results: Record<PullResult, number>;
  error: string | null;
  createdAt: string;
  completedAt: string | null;
};

/** What is known of a pull that ran. */
export type PullRun = {
  people: Person[];
  /** As it was read, again and again, up to its end. */
  readings: PullRecord[];
  /** When its worker died, and the number of the last call logged by then. */
  death?: { atMs: number; logSeq: number };
};

/** Everything that must hold of a pull that is at its end, however its worker died. */
export const checkPull = async (setup: PullSetup, run: PullRun): Promise<string[]> => {
  const { lane } = setup;
  const log = await lane.readLog();
  const last = run.readings.at(-1);
  if (!last) return ['it was never read'];
  const expected = expectedResults(run, log);
  const stored = await listPullResults(lane.db, last.id);
  return [
    ...endViolations(last, run),
    ...lossViolations(run, expected),
    ...resultViolations(last, stored, expected),
    ...additionViolations(log, expected),
    ...(await guildViolations(setup, expected)),
    ...progressViolations(run),
    ...takeUpViolations(run, log, last),
    ...(await auditViolations(setup, last)),
  ];
};

type Expected = Map<string, PullResult>;

/**
 * The expected result of each person. If the new tokens of a refresh were lost between answer and commit,
 * the old pair is invalid and the result is `tokenInvalid`. All others end as without a kill.
 */
const expectedResults = ({ people, death }: PullRun, log: LogRow[]): Expected => {
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

/** Tokens that are refreshed at the same time. */
const mostLost = 5;

const lossViolations = ({ people }: PullRun, expected: Expected): string[] => {
  const lost = people.filter(({ platformId, result }) => expected.get(platformId) !== result);
  return lost.length > mostLost ? [`the new tokens of ${lost.length} people were lost`] : [];
};

type Stored = Awaited<ReturnType<typeof listPullResults>>;

const resultViolations = (last: PullRecord, stored: Stored, expected: Expected): string[] => {
  const wrong = stored.filter(
    ({ platformId, result }) => expected.get(platformId ?? '') !== result,
  );
  const people = new Set(stored.map(({ platformId }) => platformId));
  const isEachOnce = people.size === expected.size && stored.length === expected.size;
  const counts = Map.groupBy(stored, ({ result }) => result);
  const miscounted = Object.entries(last.results).filter(
    // Its keys are the results.
    ([result, count]) => (counts.get(result as PullResult)?.length ?? 0) !== count,
  );
  return [
    ...(isEachOnce ? [] : [`${stored.length} results of ${people.size} people`]),
    ...wrong.map(
      ({ platformId, result }) => `${result} instead of ${expected.get(platformId ?? '')}`,
    ),
    ...miscounted.map(([result, count]) => `${count} were counted as ${result}`),
  ];
};

const memberRoute = '/guilds/:id/members/:id';

const additionViolations = (log: LogRow[], expected: Expected): string[] => {
  const additions = log.filter(
    ({ method, route, status }) => method === 'PUT' && route === memberRoute && status === 201,
  );
  const times = Map.groupBy(additions, ({ path }) => path.split('/').at(-1) ?? '');
  return [...expected].flatMap(([platformId, result]) => {
    const count = times.get(platformId)?.length ?? 0;
    if (count > 1) return [`one was added ${count} times`];
    return result === 'joined' && count === 0 ? ['one who joined was never added'] : [];
  });
};

/** Those who joined or were members are in the guild, with both roles and their name; the others are not. */
const guildViolations = async (
  { lane, roleId, savedRoleId }: PullSetup,
  expected: Expected,
): Promise<string[]> => {
  const { members } = await lane.readGuild();
  const present = new Map(members.map((member) => [member.user.id, member]));
  return [...expected].flatMap(([platformId, result]) => {
    const member = present.get(platformId);
    const shouldBe = result === 'joined' || result === 'alreadyMember';
    if (shouldBe !== (member !== undefined))
      return [`one who is ${result} is in the guild wrongly`];
    if (!member) return [];
    const isWhole = [roleId, savedRoleId].every((id) => member.roles.includes(id));
    return [
      ...(isWhole ? [] : [`one who is ${result} lacks a role`]),
      ...(member.nick === savedNick ? [] : [`one who is ${result} is called ${member.nick}`]),
    ];
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

const auditViolations = async ({ lane }: PullSetup, { id }: PullRecord): Promise<string[]> => {
  const told = await countPullEnds(lane.db, { accountId: lane.tenant.accountId, pullId: id });
  return told === 1 ? [] : [`its end was recorded ${told} times`];
};
