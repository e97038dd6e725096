import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import type { PulledMember, PullServer } from '../../../../test/harness/pulls/fixture.ts';
import { artist, crew, type Held, mate, memberOf } from '../../../../test/harness/pulls/roles.ts';
import {
  type RejoinFixture,
  startRejoinFixture,
} from '../../../../test/harness/rejoins/fixture.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { resumeReturnsJob } from '../jobs.ts';

let fixture: RejoinFixture;
beforeAll(async () => {
  fixture = await startRejoinFixture();
});
afterAll(() => fixture.stop());

const bosun = { nick: 'Bosun', roles: [crew.id, artist.id] };
const nothing = { nick: null, roles: [] };

/** They came a moment ago. */
const newcomer = (person: PulledMember, held: Held = {}) => ({
  ...memberOf(person, held),
  joined_at: new Date().toISOString(),
});

const editsIn = async ({ guildId }: PullServer): Promise<string[]> =>
  (await fixture.log())
    .filter(
      ({ method, path }) => method === 'PATCH' && path.includes(`/guilds/${guildId}/members/`),
    )
    .map(({ path }) => path.split('/').at(-1) ?? '');

const listingsOf = async ({ guildId }: PullServer): Promise<number> =>
  (await fixture.log()).filter(({ path }) => path.includes(`/guilds/${guildId}/members?`)).length;

/** A server that has had a session, in which these people were in the guild. */
const newServer = async <Name extends string>(...names: Name[]) => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(server, ...names);
  // Its values are these people.
  const all: PulledMember[] = Object.values(people);
  await fixture.setGuild(server, { members: all.map((one) => memberOf(one, bosun)) });
  await fixture.newSession(server);
  return { server, people, all };
};

describe('what happened while a bot had no session', () => {
  test('is made up for: who left is shown as such, who came back gets what they had, the others are left alone', async () => {
    const { server, people } = await newServer('stays', 'leaves', 'away', 'flits');
    const { stays, leaves, away, flits } = people;
    await fixture.leave(server, away);
    await fixture.setGuild(server, {
      members: [memberOf(stays, { nick: 'Gull' }), newcomer(away), newcomer(flits)],
    });
    await fixture.newSession(server);
    expect(await fixture.leftAt(server, leaves)).not.toBeNull();
    for (const person of [away, flits]) {
      expect(await fixture.heldIn(server, person)).toEqual(bosun);
      expect(await fixture.leftAt(server, person)).toBeNull();
    }
    expect(await fixture.heldIn(server, stays)).toEqual({ nick: 'Gull', roles: [] });
    const edited = [away, flits].map(({ platformId }) => platformId).sort();
    expect((await editsIn(server)).sort()).toEqual(edited);

    await fixture.newSession(server);
    expect((await editsIn(server)).sort()).toEqual(edited);
    // What was taken from them meanwhile is not given back.
    await fixture.leave(server, stays);
    await fixture.comeBack(server, [stays]);
    expect(await fixture.heldIn(server, stays)).toEqual({ nick: 'Gull', roles: [] });
  });

  test('leaves nobody with a dangerous role, and members who did not consent with nothing', async () => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'officer', 'shy', 'withdrawn');
    const { officer, shy, withdrawn } = people;
    const all = Object.values(people);
    const held = { nick: 'Mate', roles: [crew.id, mate.id] };
    await fixture.setGuild(server, { members: all.map((one) => memberOf(one, held)) });
    await fixture.withdraw(server, shy);
    await fixture.newSession(server);
    await fixture.withdraw(server, withdrawn);
    await fixture.setGuild(server, { members: all.map((one) => newcomer(one)) });
    await fixture.newSession(server);
    expect(await fixture.heldIn(server, officer)).toEqual({ nick: 'Mate', roles: [crew.id] });
    expect(await fixture.heldIn(server, shy)).toEqual(nothing);
    expect(await fixture.heldIn(server, withdrawn)).toEqual(nothing);
    const kept = await fixture.db.$client`
      select member_id from seen_members where server_id = ${server.serverId}
        and (role_ids is not null or nick is not null or joined_at is not null)`;
    expect(kept).toEqual([{ member_id: officer.id }]);
  });

  test('is left to a pull that has brought somebody back', async () => {
    const { server, people } = await newServer('brought');
    await fixture.setGuild(server, {});
    await fixture.pull(server, { restoreRoles: false });
    await fixture.newSession(server);
    expect(await fixture.heldIn(server, people.brought)).toEqual(nothing);
    expect(await fixture.leftAt(server, people.brought)).toBeNull();
  });
});

test('in the first session of all nobody has come back, whenever they came', async () => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(server, 'here', 'gone');
  await fixture.backUp(server, [memberOf(people.here, bosun), memberOf(people.gone, bosun)]);
  await fixture.setGuild(server, { members: [newcomer(people.here)] });
  await fixture.newSession(server);
  expect(await editsIn(server)).toEqual([]);
  expect(await fixture.heldIn(server, people.here)).toEqual(nothing);
  expect(await fixture.leftAt(server, people.here)).toBeNull();
  expect(await fixture.leftAt(server, people.gone)).not.toBeNull();
});

test('who was verified for the guild that a server had before has not left the one it has now', async () => {
  const { server, people, all } = await newServer('follows', 'stays');
  const guildId = randomPlatformId();
  const moved = { ...server, guildId };
  const path = `/api/v1/servers/${server.serverId}`;
  await server.owner.call('PUT', path, { body: { platformGuildId: guildId } });
  await fixture.setGuild(moved, {});
  await fixture.newSession(moved);
  for (const person of all) expect(await fixture.leftAt(moved, person)).toBeNull();
  await fixture.setGuild(moved, { members: [newcomer(people.follows)] });
  await fixture.newSession(moved);
  expect(await fixture.heldIn(moved, people.follows)).toEqual(bosun);
  await fixture.setGuild(moved, {});
  await fixture.newSession(moved);
  expect(await fixture.leftAt(moved, people.follows)).not.toBeNull();
  expect(await fixture.leftAt(moved, people.stays)).toBeNull();
});

/** The next answers to a list of members are those of this moment, but late; resolves when one is asked for. */
const delayListings = async (server: PullServer, times: number) => {
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/members', guildId: server.guildId },
    ...{ when: 'afterApply', action: 'delay', ms: 700, times },
  });
  await fixture.reportGuild(server);
  await eventually(10_000, async () => {
    const begun = await fixture.db.$client`
      select 1 from roll_calls where server_id = ${server.serverId} and running_number is not null`;
    expect(begun).toHaveLength(1);
  });
  await Bun.sleep(100);
};

test('what is heard while the list is on its way is newer than what it says', async () => {
  const { server, people } = await newServer('leaves', 'joins', 'strips', 'flits');
  const { leaves, joins, strips, flits } = people;
  await fixture.leave(server, joins);
  const there = [leaves, strips, flits].map((one) => memberOf(one, bosun));
  await fixture.setGuild(server, { members: there });
  await delayListings(server, 1);
  const later = [memberOf(strips), newcomer(joins)];
  await fixture.setGuild(server, { members: later });
  await fixture.report(
    server,
    fixture.left(server, leaves),
    fixture.left(server, flits),
    fixture.seen('memberChanged', server, strips),
    fixture.seen('memberJoined', server, joins),
  );
  await fixture.rollCalled(server);
  for (const person of [leaves, flits]) {
    expect(await fixture.leftAt(server, person)).not.toBeNull();
  }
  expect(await fixture.leftAt(server, joins)).toBeNull();
  expect(await fixture.heldIn(server, joins)).toEqual(bosun);
  expect(await editsIn(server)).toEqual([joins.platformId]);
  for (const person of [flits, strips]) {
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
  }
  expect(await fixture.heldIn(server, strips)).toEqual(nothing);
});

test('a list of thousands is read page by page to its end, then again for a session that came meanwhile', async () => {
  const { server, people } = await newServer('left', 'back', 'stays');
  const { left, back, stays } = people;
  const crowd = Array.from({ length: 2100 }, () =>
    memberOf({ id: '', platformId: randomPlatformId() }),
  );
  const members = [...crowd, newcomer(back), memberOf(stays, bosun)];
  await fixture.setGuild(server, { members });
  const listingsBefore = await listingsOf(server);
  await delayListings(server, 3);
  await fixture.setGuild(server, { members: [...members.slice(0, -1), newcomer(stays)] });
  await fixture.reportGuild(server);
  await fixture.rollCalled(server);
  expect((await listingsOf(server)) - listingsBefore).toBe(6);
  expect(await fixture.leftAt(server, left)).not.toBeNull();
  for (const person of [back, stays]) expect(await fixture.heldIn(server, person)).toEqual(bosun);
  const edited = [back, stays].map(({ platformId }) => platformId).sort();
  expect((await editsIn(server)).sort()).toEqual(edited);
});

test('somebody who came unheard has not lost what they had by a change that is heard', async () => {
  const { server, people } = await newServer('flits');
  await fixture.setGuild(server, { members: [newcomer(people.flits)] });
  const { joined_at: joinedAt } = newcomer(people.flits);
  await fixture.reportGuild(server, {
    ...{ kind: 'memberChanged', guildId: server.guildId, userId: people.flits.platformId },
    ...{ isBot: false, username: 'ann', hasPicture: true, roleIds: [], nick: null, joinedAt },
  });
  await fixture.rollCalled(server);
  expect(await fixture.heldIn(server, people.flits)).toEqual(bosun);
});

test('where a bot may not list members it is not tried', async () => {
  const server = await fixture.newServer();
  await fixture.db.$client`update bots set intents = '[]' where id = ${server.botId}`;
  await fixture.reportGuild(server);
  expect(
    await fixture.db.$client`select 1 from roll_calls where server_id = ${server.serverId}`,
  ).toHaveLength(0);
});

test('a bot that was connected before it was given a server has its roll called a little later', async () => {
  const connectedSince = async (minutes: number) => {
    const server = await fixture.newServer();
    await fixture.db.$client`
      update bots set connected_at = now() - make_interval(mins => ${minutes}) where id = ${server.botId}`;
    return server;
  };
  const [given, moved, fresh] = [
    await connectedSince(6),
    await connectedSince(6),
    await connectedSince(4),
  ];
  await fixture.newSession(moved);
  await fixture.db.$client`
    update servers set platform_guild_id = ${fresh.guildId} where id = ${moved.serverId}`;
  const job = resumeReturnsJob({ ...fixture, ...fixture.service, clock: systemClock });
  if (job.subjectOf) throw new Error('It needs no lease');
  const callsOf = async ({ serverId }: PullServer) => {
    const [call] = await fixture.db.$client`
      select number, guild_id as "guildId" from roll_calls where server_id = ${serverId}`;
    return call;
  };
  for (let runs = 0; runs < 2; runs++) await job.run({}, new AbortController().signal);
  expect(await callsOf(given)).toEqual({ number: 1, guildId: given.guildId });
  expect(await callsOf(moved)).toEqual({ number: 2, guildId: fresh.guildId });
  expect(await callsOf(fresh)).toBeUndefined();
});
