// Takes about 45 s: started before shorter ones.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  countByPerson,
  type PulledMember,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../test/harness/pulls/fixture.ts';
import { inParallel } from '../../kernel/concurrency.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture({ doesWork: ['pulls.run'] });
});
afterAll(() => fixture.stop());

/** How many of each there are, and their result. Those who withdraw during the pull come last. */
const kinds = {
  valid: [1250, 'joined'],
  expired: [200, 'joined'],
  unawares: [100, 'joined'],
  revoked: [100, 'tokenInvalid'],
  banned: [100, 'banned'],
  capped: [50, 'guildLimit'],
  unknown: [50, 'failed'],
  there: [100, 'alreadyMember'],
  withdrawn: [25, 'withdrawn'],
  blacklisted: [25, 'blacklisted'],
} as const;
type Kind = keyof typeof kinds;
type Person = PulledMember & { kind: Kind };

const atOnce = 8;

/** All kinds mixed, but for the last two. */
const kindOfEach = (): Kind[] => {
  // Their names are the keys.
  const places = (Object.entries(kinds) as [Kind, (typeof kinds)[Kind]][]).flatMap(
    ([kind, [count]]) =>
      Array.from({ length: count }, (_, index) => {
        const isLast = kind === 'withdrawn' || kind === 'blacklisted';
        return { kind, server: (isLast ? 1 : 0) + (index + 0.5) / count };
      }),
  );
  return places.toSorted((one, other) => one.server - other.server).map(({ kind }) => kind);
};

const prepare = async (server: PullServer): Promise<Person[]> => {
  const people = await inParallel(atOnce, kindOfEach(), async (kind): Promise<Person> => {
    const member = await fixture.addMember(server);
    if (kind === 'capped') await fixture.setPerson(member, { atGuildCap: true });
    if (kind === 'unknown') await fixture.setPerson(member, { unknown: true });
    if (kind === 'revoked') await fixture.setPerson(member, { tokenState: 'revoked' });
    if (kind === 'expired') await fixture.expire(member);
    const isOver = kind === 'expired' || kind === 'unawares';
    if (isOver) await fixture.setPerson(member, { tokenState: 'expired' });
    return { ...member, kind };
  });
  const those = (wanted: Kind) =>
    people
      .filter(({ kind }) => kind === wanted)
      .map(({ platformId }) => ({ user: { id: platformId } }));
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
    bans: those('banned'),
    members: those('there').map((member) => ({ ...member, joined_at: '2020-01-01T00:00:00Z' })),
  });
  return people;
};

test('of two thousand members of all kinds each ends in the right result, exactly once', async () => {
  const server = await fixture.newServer();
  const people = await prepare(server);
  expect(people).toHaveLength(2000);
  const pullId = await fixture.begin(server);
  await fixture.untilProcessed(server, pullId, 1);
  await inParallel(4, people, async (person) => {
    if (person.kind === 'withdrawn') await fixture.withdraw(server, person);
    if (person.kind === 'blacklisted') await fixture.blacklist(server, person);
  });
  const pull = await fixture.ended(server, pullId, 240_000);

  const expected = Object.fromEntries(people.map((one) => [one.platformId, kinds[one.kind][1]]));
  expect(await fixture.results(pullId)).toEqual(expected);
  expect(pull).toMatchObject({
    ...{ status: 'completed', progress: 100, total: 2000, processed: 2000 },
    results: {
      ...{ joined: 1550, alreadyMember: 100, banned: 100, guildLimit: 50 },
      ...{ tokenInvalid: 100, blacklisted: 25, withdrawn: 25, failed: 50 },
    },
  });
  const calls = await fixture.additions(server);
  const joins = countByPerson(calls, 201);
  expect(joins.size).toBe(1550);
  expect([...joins.values()].every((count) => count === 1)).toBe(true);
  expect(calls.filter(({ status }) => status === 429)).toEqual([]);
  const untouchable = new Set(
    people
      .filter(({ kind }) => kind === 'withdrawn' || kind === 'blacklisted')
      .map(({ platformId }) => platformId),
  );
  const called = calls.map(({ path }) => path.split('/').at(-1) ?? '');
  expect(called.filter((platformId) => untouchable.has(platformId))).toEqual([]);
}, 300_000);
