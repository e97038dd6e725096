import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import { lookAtGuild } from '../../../../test/harness/look-at-guild.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  // The looks at guilds are run by the tests.
  fixture = await startGatewayFixture({ doesWork: ['protection.contain'] });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const look = ({ owner: { accountId }, serverId, guildId, bot }: ProtectedGuild) =>
  lookAtGuild(fixture, { accountId, serverId, botId: bot.id, guildId, afterEntryId: null });

const setGuild = async (guild: ProtectedGuild, change: (state: State) => object) => {
  const state: State = await guild.now();
  const changed = { ...state, ...change(state) };
  await fixture.simulator.control('PUT', `/guilds/${guild.guildId}`, changed);
};

type State = { guild: object; roles: { id: string; permissions: string }[] };

const giveTo = (guild: ProtectedGuild, platformId: string) =>
  setGuild(guild, (state) => ({ guild: { ...state.guild, owner_id: platformId } }));

/** What is heard of the guild is not stored until `work` is done, however long the database takes. */
const whileNothingIsStored = (guild: ProtectedGuild, work: () => Promise<void>) =>
  fixture.service.db.$client.begin(async (tx) => {
    await tx`select 1 from watched_guilds where server_id = ${guild.serverId} for update`;
    await work();
  });

/** Whatever arrived so far was judged: somebody who edits a channel now is looked at. */
const judged = async (guild: ProtectedGuild, witness: string) => {
  const [id = ''] = guild.channelIds.slice(-1);
  await guild.call(witness, 'PATCH', `/channels/${id}`, { topic: 'Welcome' });
  await eventually(10_000, async () => {
    const armed = await fixture.service.db.$client`
      select 1 from armed_executors where server_id = ${guild.serverId} and platform_id = ${witness}`;
    expect(armed).toHaveLength(1);
  });
};

test('whoever was just told to be the owner is the owner, though it is not stored yet', async () => {
  const guild = await newProtectedGuild(fixture);
  const [heir, witness] = [await guild.join(), await guild.join()];
  await look(guild);
  await whileNothingIsStored(guild, async () => {
    await giveTo(guild, heir);
    for (const id of guild.channelIds.slice(0, 4)) await guild.deleteChannel(heir, id);
    await judged(guild, witness);
  });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
});

test('whoever is not the owner any more is judged as anybody, though it is not stored yet', async () => {
  const guild = await newProtectedGuild(fixture);
  const [former, heir] = [await guild.join(), await guild.join([])];
  await giveTo(guild, former);
  await look(guild);
  await guild.ownerFollowed();
  await whileNothingIsStored(guild, async () => {
    await giveTo(guild, heir);
    for (const id of guild.channelIds.slice(0, 4)) await guild.deleteChannel(former, id);
    await eventually(10_000, async () => {
      expect(await guild.rolesOf(former)).toEqual([guild.pink]);
    });
  });
});

test('a role that just lost its power can be given, though that is not stored yet', async () => {
  const guild = await newProtectedGuild(fixture);
  const [helper, member, witness] = [await guild.join(), await guild.join([]), await guild.join()];
  await look(guild);
  await whileNothingIsStored(guild, async () => {
    await setGuild(guild, ({ roles }) => ({
      roles: roles.map((one) => (one.id === guild.guard ? { ...one, permissions: '0' } : one)),
    }));
    const path = `/guilds/${guild.guildId}/members/${member}/roles/${guild.guard}`;
    expect(await guild.call(helper, 'PUT', path)).toBe(204);
    await judged(guild, witness);
  });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
});

test('an owner who is heard of while the guild is read is newer than what was read', async () => {
  const guild = await newProtectedGuild(fixture);
  const heir = await guild.join();
  await look(guild);
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id', guildId: guild.guildId },
    ...{ when: 'afterApply', action: 'delay', ms: 1500, times: 1 },
  });
  const { seq } = (await fixture.simulator.control('GET', '/log')).at(-1);
  const looking = look(guild);
  await eventually(10_000, async () => {
    const calls: { path: string }[] = await fixture.simulator.control('GET', `/log?since=${seq}`);
    expect(calls.some(({ path }) => path.startsWith(`/guilds/${guild.guildId}?`))).toBe(true);
  });
  await giveTo(guild, heir);
  await guild.ownerFollowed();
  await looking;
  const [row] = await fixture.service.db.$client`
    select owner_id from watched_guilds where server_id = ${guild.serverId}`;
  expect(row.owner_id).toBe(heir);
});
