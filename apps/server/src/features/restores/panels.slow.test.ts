import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type BackupFixture, createBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';
import {
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../../test/harness/simulator/platform.ts';
import {
  newVerificationServer,
  type VerificationServer,
} from '../../../test/harness/verification/newcomer.ts';

let service: TestService;
let simulator: SimulatedPlatform;
let backups: BackupFixture;
beforeAll(async () => {
  simulator = await startSimulatedPlatform();
  service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    doesWork: ['backups.run', 'restores.run', 'panels.post'],
  });
  backups = createBackupFixture(service, simulator);
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

type Message = { id: string; channel_id: string; content: string };

const read = (guildId: string): Promise<{ messages: Message[]; channels: { id: string }[] }> =>
  simulator.control('GET', `/guilds/${guildId}`);

const panelOf = async ({ owner, id }: VerificationServer) =>
  (await owner.call('GET', `/api/v1/servers/${id}/panels`)).body.data[0];

const posted = (server: VerificationServer, guildId: string, before?: string) =>
  eventually(15_000, async () => {
    const panel = await panelOf(server);
    const { messages, channels } = await read(guildId);
    expect(panel).toMatchObject({ status: 'POSTED', error: null });
    expect(panel.messageId).not.toBe(before);
    expect(channels.map(({ id }) => id)).toContain(panel.channelId);
    const shown = messages.filter(({ content }) => content === '');
    expect(shown).toMatchObject([{ id: panel.messageId, channel_id: panel.channelId }]);
    return panel;
  });

/** A server with a panel in its only channel, and a backup with the messages. */
const newServerWithPanel = async () => {
  const server = await newVerificationServer({ service, simulator });
  const { owner, id, guildId } = server;
  const [channel] = (await read(guildId)).channels;
  const text = { title: 'Welcome', text: '', color: 0, buttonText: 'Verify' };
  const body = { channelId: channel?.id, ...text };
  await owner.call('POST', `/api/v1/servers/${id}/panels`, { body });
  const panel = await posted(server, guildId);
  const owned = { tenant: owner, serverId: id, guildId };
  const backup = await backups.takeBackup(owned, { components: allWithMessages });
  return { server, panel, backup };
};

const allWithMessages = ['settings', 'roles', 'channels', 'messages'];

const restore = async ({ owner, id }: VerificationServer, backupId: string, body: object) => {
  const path = `${backups.backupsOf(id)}/${backupId}/restore`;
  const reply = await owner.call('POST', path, { body });
  expect(reply.status).toBe(202);
  const { status } = await backups.restored({ tenant: owner }, reply.body.data.id);
  expect(status).toBe('completed');
};

test('after a restore the panel is posted once, in the channel that was made anew', async () => {
  const { server, panel, backup } = await newServerWithPanel();
  expect(backup.counts.messages).toBe(0);
  await restore(server, backup.id, { components: allWithMessages });
  const after = await posted(server, server.guildId, panel.messageId);
  expect(after.channelId).not.toBe(panel.channelId);
});

test('the panel goes with its server to another guild, and comes back with it', async () => {
  const { server, panel, backup } = await newServerWithPanel();
  const elsewhere = randomPlatformId();
  await simulator.control('PUT', `/guilds/${elsewhere}`, {});
  const targetServerId = await createServer(server.owner, { platformGuildId: elsewhere });
  await restore(server, backup.id, { targetServerId });
  await server.owner.call('DELETE', `/api/v1/servers/${targetServerId}`);
  const moveTo = (platformGuildId: string) =>
    server.owner.call('PUT', `/api/v1/servers/${server.id}`, { body: { platformGuildId } });
  await moveTo(elsewhere);
  const moved = await posted(server, elsewhere, panel.messageId);
  await eventually(10_000, async () => expect((await read(server.guildId)).messages).toEqual([]));
  await moveTo(server.guildId);
  const back = await posted(server, server.guildId, moved.messageId);
  expect(back.channelId).toBe(panel.channelId);
});
