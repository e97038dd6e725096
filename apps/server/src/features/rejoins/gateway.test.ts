import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../test/harness/backups/run-backup.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';
import { insertMembers } from '../../../test/harness/members.ts';
import { memberOf } from '../../../test/harness/pulls/roles.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({ doesWork: ['rejoins.give-back', 'rejoins.call-roll'] });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

/** A server with a verified member who has a role and a nickname, as its backup has them. */
const newServer = async () => {
  const { service, simulator } = fixture;
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const platformId = randomPlatformId();
  const path = `/guilds/${guildId}`;
  const { members, ...guild } = await simulator.control('GET', path);
  const role = guild.roles.find(({ name }: { name: string }) => name === 'Member');
  const held = { nick: 'Bosun', roles: [role.id] };
  const person = memberOf({ id: '', platformId }, held);
  await simulator.control('PUT', path, { ...guild, members: [...members, person] });
  await insertMembers(service.db, { owner, serverId }, { platformId, consentedAt: new Date() });
  await takeBackupNow(fixture, { owner, serverId });
  return { bot, owner, guildId, serverId, platformId, held };
};
type Server = Awaited<ReturnType<typeof newServer>>;

const moveTo = ({ platformId }: Server, guildIds: string[]) =>
  fixture.simulator.control('PUT', `/users/${platformId}`, { guildIds });

const heldNow = async ({ guildId, platformId }: Server) => {
  const { members } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const member = members.find(({ user }: { user: { id: string } }) => user.id === platformId);
  return { nick: member?.nick, roles: member?.roles };
};

const editsOf = async ({ guildId, platformId }: Server) => {
  const log: { method: string; path: string }[] = await fixture.simulator.control('GET', '/log');
  const path = `/guilds/${guildId}/members/${platformId}`;
  return log.filter((call) => call.method === 'PATCH' && call.path.endsWith(path)).length;
};

/** A session in which the whole guild was listed. */
const rollCalled = ({ serverId }: Server, least: number) =>
  eventually(10_000, async () => {
    const [call] = await fixture.service.db.$client`
      select ended_number from roll_calls where server_id = ${serverId}`;
    expect(call?.ended_number).toBeGreaterThanOrEqual(least);
  });

test('who left or came back between two sessions is found by the second', async () => {
  const [stays, leaves] = [await newServer(), await newServer()];
  const leftAt = async ({ owner, serverId }: Server) =>
    (await owner.call('GET', `/api/v1/servers/${serverId}/members`)).body.data[0].leftAt;
  for (const server of [stays, leaves]) {
    await fixture.act(server.bot, { action: 'invalidate', isResumable: false });
    await rollCalled(server, 1);
    await fixture.simulator.control('PUT', '/gateway/faults', {
      ...{ botId: server.bot.platformId, refuseMs: 1000 },
    });
    await fixture.act(server.bot, { action: 'close', code: 4009 });
    await moveTo(server, []);
  }
  await moveTo(stays, [stays.guildId]);
  await eventually(10_000, async () => expect(await heldNow(stays)).toEqual(stays.held));
  await eventually(10_000, async () => expect(await leftAt(leaves)).not.toBeNull());
  await eventually(10_000, async () => expect(await leftAt(stays)).toBeNull());
  expect(await editsOf(stays)).toBe(1);
});

test('somebody who leaves and comes back on the platform has what they had, once, though messages come twice', async () => {
  const server = await newServer();
  const { bot, owner, guildId, serverId } = server;
  const leftAt = async () =>
    (await owner.call('GET', `/api/v1/servers/${serverId}/members`)).body.data[0].leftAt;
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildAvailable')).toContain(guildId),
  );
  await fixture.simulator.control('PUT', '/gateway/faults', {
    ...{ botId: bot.platformId, duplicate: 50 },
  });
  await moveTo(server, []);
  await eventually(10_000, async () => expect(await leftAt()).not.toBeNull());
  await moveTo(server, [guildId]);
  await eventually(10_000, async () => expect(await heldNow(server)).toEqual(server.held));
  await eventually(10_000, async () => expect(await leftAt()).toBeNull());

  const path = `/guilds/${guildId}`;
  const guild = await fixture.simulator.control('GET', path);
  const without = memberOf({ id: '', platformId: server.platformId }, { nick: 'Bosun' });
  const others = guild.members.filter(
    ({ user }: { user: { id: string } }) => user.id !== server.platformId,
  );
  await fixture.simulator.control('PUT', path, { ...guild, members: [...others, without] });
  await fixture.act(bot, { action: 'cut' });
  await fixture.simulator.control('PUT', path, {
    ...{ ...guild, members: [...others, without], guild: { ...guild.guild, name: 'Renamed' } },
  });
  await eventually(10_000, async () =>
    expect(await fixture.heard(bot, 'guildChanged')).toContain(guildId),
  );
  expect(await heldNow(server)).toEqual({ nick: 'Bosun', roles: [] });
  expect(await editsOf(server)).toBe(1);
});
