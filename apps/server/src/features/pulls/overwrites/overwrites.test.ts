import { afterAll, beforeAll, expect, test } from 'bun:test';
import { noResults, type PulledMember } from '../../../../test/harness/pulls/fixture.ts';
import {
  crew,
  memberOf,
  type RolesFixture,
  startRolesFixture,
} from '../../../../test/harness/pulls/roles.ts';
import { newId } from '../../../kernel/ids.ts';
import { permission } from '../../../platform/permissions.ts';
import { erasePerson } from '../../me/erase/erase-person.ts';
import { restoredIds } from '../../servers/table.ts';

let fixture: RolesFixture;
beforeAll(async () => {
  fixture = await startRolesFixture();
});
afterAll(() => fixture.stop());

type Server = Awaited<ReturnType<RolesFixture['newServer']>>;

const { viewChannel: see, sendMessages: write, manageWebhooks } = permission;
const [deck, hold] = ['7201', '7202'];

const rooms = (own: Record<string, object[]> = {}, ids = [deck, hold]) =>
  ids.map((id, index) => ({
    ...{ id, name: `room-${index}`, type: 0 },
    permission_overwrites: own[id] ?? [],
  }));

/** May write nowhere on deck, and gets into the hold, where they make webhooks. */
const ownOf = ({ platformId: id }: PulledMember) => ({
  [deck]: [{ id, type: 1, allow: '0', deny: `${write}` }],
  [hold]: [{ id, type: 1, allow: `${see | manageWebhooks}`, deny: '0' }],
});

const backUp = async (server: Server, person: PulledMember, held: object = {}) => {
  const channels = rooms(ownOf(person));
  await fixture.backUp(server, [memberOf(person, held)], { channels });
  await fixture.setGuild(server, { channels: rooms() });
};

const ownIn = async ({ guildId }: Server, { platformId }: PulledMember, ids = [deck, hold]) => {
  const { channels } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  return ids.map((id) => {
    const place = channels.find((one: { id: string }) => one.id === id);
    const own = place.permission_overwrites.find((one: { id: string }) => one.id === platformId);
    return own ? `+${own.allow} -${own.deny}` : null;
  });
};

const given = [`+0 -${write}`, `+${see} -0`];

test('whoever a pull brings back is denied what they were, and allowed it where it gives no power', async () => {
  const server = await fixture.newServer();
  const { person, plain } = await fixture.addNamed(server, 'person', 'plain');
  await backUp(server, person, { roles: [crew.id] });
  const pull = await fixture.pull(server);
  expect(pull).toMatchObject({ results: { ...noResults, joined: 2 }, warnings: [] });
  expect(await ownIn(server, person)).toEqual(given);
  expect(await ownIn(server, plain)).toEqual([null, null]);
});

test('also into another server, in the channels that a restore made of theirs', async () => {
  const server = await fixture.newServer();
  const target = await fixture.newServer({}, server.owner);
  const { person } = await fixture.addNamed(server, 'person');
  await backUp(server, person);
  const made = ['8201', '8202'];
  await fixture.setGuild(target, { channels: rooms({}, made) });
  const place = { serverId: target.serverId, guildId: target.guildId, restoreId: newId() };
  const row = (oldId: string, newId: string) => ({
    ...{ accountId: server.owner.accountId, sort: 'channels' as const, isCreated: true },
    ...{ ...place, oldId, newId },
  });
  await fixture.db.insert(restoredIds).values([row(deck, '8201'), row(hold, '8202')]);
  await fixture.pull(server, { targetServerId: target.serverId });
  expect(await ownIn(target, person, made)).toEqual(given);
});

test('who is there since before the backup, or is pulled without what they had, gets nothing', async () => {
  const server = await fixture.newServer();
  const { person } = await fixture.addNamed(server, 'person');
  await backUp(server, person);
  await fixture.setGuild(server, { channels: rooms(), members: [memberOf(person)] });
  await fixture.pull(server);
  expect(await ownIn(server, person)).toEqual([null, null]);
  await fixture.setGuild(server, { channels: rooms() });
  await fixture.pull(server, { restoreRoles: false });
  expect(await ownIn(server, person)).toEqual([null, null]);
});

test('a channel that refuses it keeps nobody out, and is told', async () => {
  const server = await fixture.newServer();
  const { person } = await fixture.addNamed(server, 'person');
  await backUp(server, person);
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'PUT', route: '/channels/:id/permissions/:id', guildId: server.guildId },
    ...{ action: 'status', status: 403, body: { code: 50013, message: 'Missing Permissions' } },
  });
  const pull = await fixture.pull(server);
  expect(pull.results).toEqual({ ...noResults, joined: 1 });
  expect(pull.warnings).toEqual([expect.stringMatching(/one member/)]);
  expect(await ownIn(server, person)).toEqual([null, given[1] ?? '']);
});

test('of who erased themselves only what they were denied is left, as in every backup', async () => {
  const server = await fixture.newServer();
  const { erased } = await fixture.addNamed(server, 'erased');
  await backUp(server, erased);
  const { db, ring, queue } = fixture.service;
  await erasePerson({ db, ring, queue }, erased.platformId);
  const pull = await fixture.pull(server);
  expect(pull.results).toEqual(noResults);
  await fixture.addMember(server, { platformId: erased.platformId });
  await fixture.giveTokens(server, erased.platformId);
  await fixture.pull(server);
  expect(await ownIn(server, erased)).toEqual([given[0] ?? '', null]);
});
