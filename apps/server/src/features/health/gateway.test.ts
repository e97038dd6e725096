import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Health } from '@holdfast/contract';
import { takeBackupNow } from '../../../test/harness/backups/run-backup.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({ doesWork: ['health.find-absence'] });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const newServer = async () => {
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const backupId = await takeBackupNow(fixture, { owner, serverId });
  return { owner, bot, guildId, serverId, backupId };
};

const becomes = (server: Awaited<ReturnType<typeof newServer>>, health: Health) =>
  eventually(10_000, async () => {
    const { body } = await server.owner.call('GET', `/api/v1/servers/${server.serverId}`);
    expect(body.data).toMatchObject({ health, lastGoodBackupId: server.backupId });
  });

test('a server that is wrecked on the platform is seen as damaged, and as good when all is back', async () => {
  const server = await newServer();
  const path = `/guilds/${server.guildId}`;
  await becomes(server, 'GOOD');
  const whole = await fixture.simulator.control('GET', path);
  await fixture.simulator.control('PUT', path, { ...whole, channels: [] });
  await becomes(server, 'DAMAGED');
  await fixture.simulator.control('PUT', path, whole);
  await becomes(server, 'GOOD');
});

type Server = Awaited<ReturnType<typeof newServer>>;

/** The guild's owner does it. */
const kick = async ({ guildId, bot }: Server) => {
  const { simulator } = fixture;
  const { guild } = await simulator.control('GET', `/guilds/${guildId}`);
  const authorization = `Bot ${btoa(guild.owner_id)}.token-value`;
  const path = `${simulator.apiUrl}/v10/guilds/${guildId}/members/${bot.platformId}`;
  const reply = await fetch(path, { method: 'DELETE', headers: { authorization } });
  expect(reply.status).toBe(204);
};

const remove = ({ guildId }: Server) => fixture.simulator.control('DELETE', `/guilds/${guildId}`);

test.each([
  ['whose bot is kicked', kick, 'BOT_REMOVED', /removed from the server, which still exists/],
  ['that is deleted on the platform', remove, 'GUILD_DELETED', /does not exist any more/],
])('a guild %s is seen as lost, and the owner is told which it is', async (_, lose, code, told) => {
  const server = await newServer();
  await becomes(server, 'GOOD');
  await lose(server);
  await becomes(server, 'LOST');
  await eventually(5000, async () => {
    const { body } = await server.owner.call('GET', `/api/v1/servers/${server.serverId}`);
    expect(body.data.healthReasons).toMatchObject([{ code }]);
    const alerts = (await server.owner.call('GET', '/api/v1/alerts')).body.data;
    expect(alerts).toMatchObject([{ kind: 'SERVER_LOST', detail: expect.stringMatching(told) }]);
  });
});

test('a platform that does not say which it is leaves the server lost for one of both reasons', async () => {
  const server = await newServer();
  await becomes(server, 'GOOD');
  await fixture.simulator.control('POST', '/faults', {
    ...{ match: { method: 'GET', guildId: server.guildId }, times: 1000 },
    ...{ action: 'status', status: 502 },
  });
  await kick(server);
  await eventually(10_000, async () => {
    const alerts = (await server.owner.call('GET', '/api/v1/alerts')).body.data;
    expect(alerts).toMatchObject([{ detail: expect.stringContaining('or the server is gone') }]);
  });
  const { body } = await server.owner.call('GET', `/api/v1/servers/${server.serverId}`);
  expect(body.data.healthReasons).toMatchObject([{ code: 'BOT_NOT_IN_GUILD' }]);
});
