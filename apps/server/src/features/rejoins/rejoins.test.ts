import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import { listMembers } from '../../../test/harness/members.ts';
import {
  artist,
  boosters,
  crew,
  helper,
  mate,
  memberOf,
} from '../../../test/harness/pulls/roles.ts';
import { type RejoinFixture, startRejoinFixture } from '../../../test/harness/rejoins/fixture.ts';
import { erasePerson } from '../me/erase/erase-person.ts';

let fixture: RejoinFixture;
beforeAll(async () => {
  fixture = await startRejoinFixture();
});
afterAll(() => fixture.stop());

const bosun = { nick: 'Bosun', roles: [crew.id, artist.id] };
const nothing = { nick: null, roles: [] };

/** A server whose backup has one member. */
const newServerWith = async (held: object = bosun) => {
  const server = await fixture.newServer();
  const person = await fixture.addMember(server);
  await fixture.backUp(server, [memberOf(person, held)]);
  return { server, person };
};

describe('a member who comes back gets', () => {
  test('the roles and the nickname of the last good backup, by one edit', async () => {
    const { server, person } = await newServerWith({
      ...{ nick: 'Bosun', roles: [crew.id, artist.id, boosters.id] },
    });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect(await fixture.heldIn(server, person)).toEqual(bosun);
    expect(await fixture.callsAbout(server, person)).toEqual(['GET 200', 'PATCH 200']);
  });

  test('what was last reported where that is newer than the backup, also when all comes at once', async () => {
    const { server, person } = await newServerWith();
    const now = { nick: 'Gull', roles: [artist.id] };
    await fixture.setGuild(server, { members: [memberOf(person)] });
    await fixture.report(
      server,
      fixture.seen('memberChanged', server, person, now),
      fixture.left(server, person),
      fixture.seen('memberJoined', server, person),
      // What they have so far is not what they had.
      fixture.seen('memberChanged', server, person),
    );
    await fixture.settled(server);
    expect(await fixture.heldIn(server, person)).toEqual(now);
  });

  test('what a backup from before they left has, although a newer one was taken without them', async () => {
    const { server, person } = await newServerWith();
    await fixture.leave(server, person);
    await fixture.backUp(server, []);
    await fixture.comeBack(server, [person]);
    expect(await fixture.heldIn(server, person)).toEqual(bosun);
  });

  test('it again the next time, as it was changed since', async () => {
    const { server, person } = await newServerWith();
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    await fixture.changed(server, person, { nick: 'Bosun', roles: [artist.id] });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect(await fixture.heldIn(server, person)).toEqual({ nick: 'Bosun', roles: [artist.id] });
  });

  test('it the next time, where they had nothing before they came back with it', async () => {
    const { server, person } = await newServerWith(nothing);
    const unknown = await fixture.addMember(server);
    for (const one of [person, unknown]) {
      await fixture.leave(server, one);
      await fixture.comeBack(server, [one], bosun);
      await fixture.leave(server, one);
      await fixture.comeBack(server, [one]);
      expect(await fixture.heldIn(server, one)).toEqual(bosun);
    }
  });

  test('nothing that they have already, and loses nothing that they were given meanwhile', async () => {
    const { server, person } = await newServerWith();
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person], { nick: 'Tern', roles: [crew.id] });
    expect(await fixture.heldIn(server, person)).toEqual({ ...bosun, nick: 'Tern' });
  });

  test('no role with dangerous permissions, in the server or in a channel, whoever reports it', async () => {
    const { server, person } = await newServerWith({ roles: [crew.id, mate.id, helper.id] });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect((await fixture.heldIn(server, person))?.roles).toEqual([crew.id]);
    await fixture.changed(server, person, { roles: [artist.id, mate.id, helper.id] });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect((await fixture.heldIn(server, person))?.roles).toEqual([artist.id]);
  });
});

describe('nothing is given', () => {
  test('to members who did not consent, are blacklisted or have erased themselves', async () => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'withdrawn', 'blacklisted', 'erased', 'willing');
    const { withdrawn, blacklisted, erased, willing } = people;
    const all = Object.values(people);
    for (const person of all) await fixture.changed(server, person, bosun);
    await fixture.backUp(
      server,
      all.map((person) => memberOf(person, bosun)),
    );
    await fixture.withdraw(server, withdrawn);
    await fixture.blacklist(server, blacklisted);
    const { db, ring, queue } = fixture.service;
    await erasePerson({ db, ring, queue }, erased.platformId);
    await fixture.leave(server, ...all);
    await fixture.comeBack(server, all);
    for (const person of [withdrawn, blacklisted, erased]) {
      expect(await fixture.heldIn(server, person)).toEqual(nothing);
    }
    expect(await fixture.heldIn(server, willing)).toEqual(bosun);
    const kept = await db.$client`
      select member_id from seen_members where server_id = ${server.serverId} and role_ids is not null`;
    expect(kept.map(({ member_id }: { member_id: string }) => member_id).sort()).toEqual(
      [blacklisted.id, willing.id].sort(),
    );
  });

  test('where the owner does not want it', async () => {
    const { server, person } = await newServerWith();
    const path = `/api/v1/servers/${server.serverId}`;
    await server.owner.call('PUT', path, { body: { restoreRolesOnRejoin: false } });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect(await fixture.callsAbout(server, person)).toEqual([]);
  });

  test('that they had before they came while the owner did not want it', async () => {
    const { server, person } = await newServerWith();
    const path = `/api/v1/servers/${server.serverId}`;
    await server.owner.call('PUT', path, { body: { restoreRolesOnRejoin: false } });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    await server.owner.call('PUT', path, { body: { restoreRolesOnRejoin: true } });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect(await fixture.heldIn(server, person)).toEqual(nothing);
  });

  test('by a role that becomes dangerous while it is about to be given', async () => {
    const { server, person } = await newServerWith();
    await fixture.leave(server, person);
    const members = [memberOf(person)];
    await fixture.setGuild(server, { members });
    // After the bot itself is read, and for longer than what was read of the guild counts.
    const route = '/guilds/:id/members/:id';
    await fixture.disturb(server, {
      match: { method: 'GET', route, guildId: server.guildId },
      ...{ nth: 2, when: 'before', action: 'delay', ms: 3000 },
    });
    await fixture.report(server, fixture.seen('memberJoined', server, person));
    await eventually(10_000, async () =>
      expect(await fixture.callsAbout(server, person)).not.toEqual([]),
    );
    const roles = [{ ...crew, permissions: mate.permissions }, artist];
    await fixture.setGuild(server, { members, roles });
    await fixture.settled(server);
    expect((await fixture.heldIn(server, person))?.roles).toEqual([artist.id]);
  });

  test('of roles that were dangerous when they came back, once they are harmless', async () => {
    const { server, person } = await newServerWith({ roles: [mate.id] });
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    await fixture.leave(server, person);
    const harmless = { ...mate, permissions: '0' };
    await fixture.setGuild(server, { roles: [harmless], members: [memberOf(person)] });
    await fixture.report(server, fixture.seen('memberJoined', server, person));
    await fixture.settled(server);
    expect(await fixture.heldIn(server, person)).toEqual(nothing);
  });

  test('to members whom a pull adds, until they come back by themselves', async () => {
    const { server, person } = await newServerWith();
    await fixture.leave(server, person);
    await fixture.pull(server, { restoreRoles: false });
    await fixture.report(server, fixture.seen('memberJoined', server, person));
    await fixture.settled(server);
    expect(await fixture.heldIn(server, person)).toEqual(nothing);
    expect(await fixture.leftAt(server, person)).toBeNull();
    await fixture.leave(server, person);
    await fixture.comeBack(server, [person]);
    expect(await fixture.heldIn(server, person)).toEqual(bosun);
  });

  test('by a bot that is switched off; they get it once it is on again', async () => {
    const { server, person } = await newServerWith();
    const bot = `/api/v1/bots/${server.botId}`;
    await server.owner.call('PUT', bot, { body: { isActive: false } });
    await fixture.leave(server, person);
    await fixture.setGuild(server, { members: [memberOf(person)] });
    const joined = fixture.seen('memberJoined', server, person);
    await fixture.report(server, joined);
    // Of one who still waits it does not say what they had.
    await fixture.changed(server, person, {});
    await server.owner.call('PUT', bot, { body: { isActive: true } });
    await fixture.report(server, joined);
    await fixture.settled(server);
    expect(await fixture.heldIn(server, person)).toEqual(bosun);
  });
});

test('a member who left is shown as such and can still be pulled, until they are back', async () => {
  const { server, person } = await newServerWith();
  const stays = await fixture.addMember(server);
  expect(await fixture.leftAt(server, person)).toBeNull();
  await fixture.leave(server, person);
  const { body } = await listMembers(server);
  expect(body.data).toEqual([
    expect.objectContaining({ id: person.id, leftAt: expect.any(String), pullable: true }),
    expect.objectContaining({ id: stays.id, leftAt: null, pullable: true }),
  ]);
  await fixture.comeBack(server, [person]);
  expect(await fixture.leftAt(server, person)).toBeNull();
});

test("what is reported by another account's bot says nothing about a server", async () => {
  const { server, person } = await newServerWith();
  const stranger = await fixture.newServer();
  await fixture.report({ ...stranger, guildId: server.guildId }, fixture.left(server, person));
  expect(await fixture.leftAt(server, person)).toBeNull();
});
