import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../test/harness/backups/run-backup.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';
import { insertMembers } from '../../../test/harness/members.ts';
import { newProtectedGuild } from '../../../test/harness/protected-guild.ts';
import { permission } from '../../platform/permissions.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['rejoins.give-back', 'protection.contain', 'protection.look-at-guild'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

type Place = { id: string; parent_id?: string | null; permission_overwrites: object[] };
type Access = { allow?: bigint; deny?: bigint };

const { viewChannel: see, sendMessages: write, manageMessages: moderate } = permission;

/** The overwrites of somebody in some of the channels, by their index; a category comes before its channels. */
const setUp = async (own: Record<number, Access>, categories: Record<number, number[]> = {}) => {
  const guild = await newProtectedGuild(fixture, { channels: 24 });
  const person = await guild.join([]);
  const { owner, serverId, guildId, channelIds } = guild;
  await insertMembers(
    fixture.service.db,
    { owner, serverId },
    {
      ...{ platformId: person, consentedAt: new Date() },
    },
  );
  const state = await guild.now();
  const closed = { id: guildId, type: 0, allow: '0', deny: `${see}` };
  const parentOf = (index: number) =>
    Object.entries(categories).find(([, inside]) => inside.includes(index))?.[0];
  const channels = state.channels.map((channel: Place, index: number) => {
    const { allow = 0n, deny = 0n } = own[index] ?? {};
    const parent = parentOf(index);
    const isCategory = index in categories;
    const isPrivate = isCategory || parent !== undefined;
    return {
      ...{ ...channel, type: isCategory ? 4 : 0 },
      ...(parent !== undefined && { parent_id: channelIds[Number(parent)] }),
      permission_overwrites: [
        ...(isPrivate ? [closed] : []),
        ...(own[index] ? [{ id: person, type: 1, allow: `${allow}`, deny: `${deny}` }] : []),
      ],
    };
  });
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, { ...state, channels });
  await takeBackupNow(fixture, { owner, serverId });
  return { guild, person };
};

type SetUp = Awaited<ReturnType<typeof setUp>>;

/** What they have in each channel by themselves, by its index. */
const ownIn = async ({ guild, person }: SetUp) => {
  const { channels } = await guild.now();
  const found = guild.channelIds.flatMap((id, index) => {
    const place = channels.find((one: Place) => one.id === id);
    const own = place.permission_overwrites.find((one: { id: string }) => one.id === person);
    const says = own && (own.allow !== '0' || own.deny !== '0');
    return says ? [[index, `+${own.allow} -${own.deny}`]] : [];
  });
  return Object.fromEntries(found);
};

/** Somebody kicks them, and they come back by themselves. */
const kickAndReturn = async (them: SetUp, kickerId = them.guild.ownerId) => {
  const { guild, person } = them;
  const { guildId, serverId } = guild;
  await guild.call(kickerId, 'DELETE', `/guilds/${guildId}/members/${person}`);
  expect(await ownIn(them)).toEqual({});
  const { db } = fixture.service;
  const seen = async () =>
    (
      await db.$client`select left_at, joined_at, returned_at from seen_members
      where server_id = ${serverId}`
    )[0];
  await eventually(10_000, async () => expect((await seen())?.left_at).toBeTruthy());
  await fixture.simulator.control('POST', `/guilds/${guildId}/joins`, { users: [{ id: person }] });
  await eventually(20_000, async () => {
    expect(await seen()).toMatchObject({ left_at: null, returned_at: null });
    expect((await seen()).joined_at).toBeTruthy();
  });
};

const remove = ({ guild, person }: SetUp, index: number) =>
  guild.call(
    ...([guild.ownerId, 'DELETE'] as const),
    `/channels/${guild.channelIds[index]}/permissions/${person}`,
  );

test('who was kicked and comes back is denied and allowed what they were, and gets no power', async () => {
  const denied = Object.fromEntries(
    Array.from({ length: 18 }, (_, index) => [index, { deny: write }]),
  );
  const them = await setUp({ ...denied, 18: { allow: see | moderate }, 19: { allow: moderate } });
  await kickAndReturn(them);
  const kept = Object.fromEntries(Object.keys(denied).map((index) => [index, `+0 -${write}`]));
  expect(await ownIn(them)).toEqual({ ...kept, 18: `+${see} -0` });
  // Eighteen channels at once, by the bot itself: its own work.
  await them.guild.settled();
  expect(await them.guild.incidents()).toEqual([]);
});

test('what the owner has taken back since stays so, also through the category that a channel follows', async () => {
  const them = await setUp(
    { 0: { deny: write }, 1: { deny: see }, 2: { allow: see }, 3: { allow: see } },
    { 2: [3] },
  );
  expect(await remove(them, 0)).toBe(204);
  expect(await remove(them, 2)).toBe(204);
  await kickAndReturn(them);
  expect(await ownIn(them)).toEqual({ 1: `+0 -${see}` });
});

test('what follows a category goes on following it, and nobody gets into a channel by one', async () => {
  const them = await setUp(
    { 0: { allow: see }, 1: { allow: see }, 2: { allow: see }, 3: { allow: see } },
    { 0: [1], 2: [3, 4] },
  );
  await kickAndReturn(them);
  // The last is as closed as its category now, and would follow it.
  expect(await ownIn(them)).toEqual({ 0: `+${see} -0`, 1: `+${see} -0` });
  const denied = await setUp({ 2: { deny: write }, 3: { deny: write } }, { 2: [3, 4] });
  await kickAndReturn(denied);
  expect(await ownIn(denied)).toEqual({ 2: `+0 -${write}`, 3: `+0 -${write}` });
});

test('where the audit log cannot be read, they are denied what they were and allowed nothing', async () => {
  const them = await setUp({ 0: { deny: write }, 1: { allow: see } });
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/audit-logs', guildId: them.guild.guildId },
    ...{ times: 1000, action: 'status', status: 403, body: { code: 50013, message: 'No' } },
  });
  await kickAndReturn(them);
  expect(await ownIn(them)).toEqual({ 0: `+0 -${write}` });
});

test('two who come back at once do not let each other in by a category', async () => {
  const them = await setUp({ 0: { allow: see }, 1: { allow: see } }, { 0: [1] });
  const { guild, person } = them;
  const { guildId, serverId, owner, channelIds } = guild;
  const [other, first] = [await guild.join([]), await guild.join([])];
  const { db } = fixture.service;
  for (const platformId of [other, first]) {
    await insertMembers(db, { owner, serverId }, { platformId, consentedAt: new Date() });
  }
  const allow = { type: 1, allow: `${see}`, deny: '0' };
  const category = `/channels/${channelIds[0]}/permissions/${other}`;
  expect(await guild.call(guild.ownerId, 'PUT', category, allow)).toBe(204);
  // The channel followed: it has them no more.
  const inside = `/channels/${channelIds[1]}/permissions/${other}`;
  expect(await guild.call(guild.ownerId, 'DELETE', inside)).toBe(204);
  await takeBackupNow(fixture, { owner, serverId });
  const people = [first, person, other];
  for (const id of people) {
    await guild.call(guild.ownerId, 'DELETE', `/guilds/${guildId}/members/${id}`);
  }
  const seen = () =>
    db.$client`select left_at, joined_at, returned_at from seen_members
      where server_id = ${serverId}`;
  await eventually(10_000, async () => {
    for (const one of await seen()) expect(one.left_at).toBeTruthy();
  });
  const slow = async (method: string, route: string, nth: number, ms: number) =>
    fixture.simulator.control('POST', '/faults', {
      ...{ match: { method, route, guildId }, nth, action: 'delay', ms },
    });
  await slow('GET', '/guilds/:id', 1, 3000);
  await slow('GET', '/guilds/:id/channels', 4, 400);
  await slow('PUT', '/channels/:id/permissions/:id', 2, 1200);
  for (const id of people) {
    await fixture.simulator.control('POST', `/guilds/${guildId}/joins`, { users: [{ id }] });
    await Bun.sleep(500);
  }
  await eventually(20_000, async () => {
    for (const one of await seen()) {
      expect(one).toMatchObject({ left_at: null, returned_at: null });
      expect(one.joined_at).toBeTruthy();
    }
  });
  expect(await ownIn({ guild, person: other })).not.toHaveProperty('1');
});
