import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Health } from '@holdfast/contract';
import { backupDependencies, runBackupNow } from '../../../test/harness/backups/run-backup.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../test/harness/gateway.ts';

setDefaultTimeout(60_000);

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture();
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const newServer = async () => {
  const { service, simulator } = fixture;
  const bot = await fixture.newBot();
  const { owner } = bot;
  const guildId = await fixture.joinGuild(bot);
  const serverId = await createServer(owner, { platformGuildId: guildId, customBotId: bot.id });
  const { body } = await owner.call('POST', `/api/v1/servers/${serverId}/backups`);
  const backupId: string = body.data.id;
  const tools = backupDependencies(service, simulator.apiUrl);
  await runBackupNow(tools, { accountId: owner.accountId, backupId });
  return { owner, guildId, serverId, backupId };
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

test('a guild that is deleted on the platform is seen as lost', async () => {
  const server = await newServer();
  await becomes(server, 'GOOD');
  await fixture.simulator.control('DELETE', `/guilds/${server.guildId}`);
  await becomes(server, 'LOST');
});
