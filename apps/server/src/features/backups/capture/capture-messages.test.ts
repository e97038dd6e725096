import { expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { backupDependencies, runBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import { createBot, createServer } from '../../../../test/harness/bots-and-servers.ts';
import { talkativeGuild } from '../../../../test/harness/guilds/talkative-guild.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import type { FileLimits } from './file-limits.ts';

const { simulator, service, fixture } = await startBackupFixture();

const withMessages = { components: ['channels', 'messages', 'threads'] };

const takeBackup = async (server: OwnedGuild, body: object = {}, fileLimits?: FileLimits) => {
  const backupId = await fixture.begin(server, { ...withMessages, ...body });
  const tools = {
    ...backupDependencies(service, simulator.apiUrl),
    ...(fileLimits && { fileLimits }),
  };
  await runBackupNow(tools, { backupId, accountId: server.tenant.accountId });
  return fixture.read(server, backupId);
};

const readsOf = async ({ guildId }: OwnedGuild): Promise<string[]> => {
  const log: { guildId: string; method: string; path: string }[] = await simulator.control(
    'GET',
    '/log',
  );
  return log
    .filter((call) => call.guildId === guildId && call.method === 'GET')
    .map(({ path }) => path.split('?')[0] ?? '');
};

test('without the intent for their content messages are not in a backup, and the switch is named', async () => {
  const tenant = await service.newTenant();
  const [botId, guildId] = [randomPlatformId(), randomPlatformId()];
  const customBotId = await createBot(tenant, {
    clientId: botId,
    botToken: `${btoa(botId)}.token-value`,
  });
  await simulator.control('PUT', `/bots/${botId}`, { intents: ['GUILD_MEMBERS'] });
  const { state } = talkativeGuild({ channels: 1, messages: 3, threadMessages: 1 });
  await simulator.control('PUT', `/guilds/${guildId}`, state);
  const serverId = await createServer(tenant, { platformGuildId: guildId, customBotId });
  const backup = await takeBackup({ tenant, guildId, serverId });
  expect(backup).toMatchObject({ status: 'completed', components: ['channels'] });
  expect(backup.counts).toMatchObject({ messages: 0, threads: 0 });
  expect(backup.warnings).toEqual([expect.stringContaining('Message Content intent')]);
});

test('a capture asks only for what there is: one page of a channel, no message of an empty one', async () => {
  const { state } = talkativeGuild({ channels: 2, messages: 9, threadMessages: 2 });
  const empty = { id: randomPlatformId(), name: 'empty', type: 0 };
  const server = await fixture.newServer({ ...state, channels: [...state.channels, empty] });
  expect((await takeBackup(server)).status).toBe('completed');
  const paths = (await readsOf(server)).filter((path) => path.startsWith('/channels/'));
  expect(paths.filter((path) => path.startsWith(`/channels/${empty.id}/messages`))).toEqual([]);
  const pages = paths.filter((path) => path.endsWith('/messages'));
  // Each once: two channels, four threads of them and two posts of the forum.
  expect(pages).toHaveLength(8);
  expect(new Set(pages).size).toBe(8);
  expect(paths.filter((path) => path.endsWith('/pins'))).toHaveLength(2);
  expect(paths.filter((path) => path.includes('/threads/archived/'))).toHaveLength(7);
});

/** Some ids, chosen by their hash, are the last of their page. Both are of the end of 2025. */
const idThatEndsItsPage = '1455000000000000036';
const idThatEndsNoPage = '1456000000000000000';

test('what was said before costs nothing again: a new message adds one small object of messages', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 500, threadMessages: 1 });
  const [channel] = state.channels;
  // A page that no id ends is cut where it is full, and then the next one begins with another message, too.
  const last = { id: idThatEndsItsPage, channel_id: channel?.id, content: 'the last one' };
  state.messages.push({ ...state.messages[0], ...last });
  const server = await fixture.newServer(state);
  await takeBackup(server, { messagesPerChannel: 1000 });
  const before = (await fixture.storageOf(server)).objects;
  const current = await simulator.control('GET', `/guilds/${server.guildId}`);
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    ...current,
    messages: [
      ...current.messages,
      { id: idThatEndsNoPage, channel_id: channel?.id, content: 'one more' },
    ],
  });
  const next = await takeBackup(server, { messagesPerChannel: 1000 });
  expect(next.counts.messages).toBe(state.messages.length + 1);
  const after = (await fixture.storageOf(server)).objects;
  // The page with the message, the section and the manifest.
  expect(after - before).toBe(3);
});

test('polls and messages made of components are counted in a warning, since nothing can post them again', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 2, threadMessages: 1 });
  const [channel] = state.channels;
  const poll = { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'Yes' } }] };
  const button = { type: 1, components: [{ type: 2, style: 1, label: 'Aye', custom_id: 'aye' }] };
  const author = { id: randomPlatformId(), username: 'Asker' };
  const say = (fields: object) => ({ channel_id: channel?.id, author, content: '', ...fields });
  const added = [
    say({ poll }),
    say({ components: [button] }),
    say({ content: 'Vote!', poll }),
    say({ content: 'Press', components: [button] }),
    // A line of the platform is nobody's loss.
    say({ type: 7 }),
  ];
  const server = await fixture.newServer({ ...state, messages: [...state.messages, ...added] });
  const backup = await takeBackup(server);
  expect(backup.counts.messages).toBe(state.messages.length + 2);
  expect(backup.warnings).toEqual([
    expect.stringMatching(/^Messages that are not in this backup: 2\. Polls, /),
    'Messages that are in this backup without their poll: 1',
  ]);
});

test('files beyond the limits are left out, and said so', async () => {
  const { state } = talkativeGuild({ channels: 1, messages: 18, threadMessages: 0 });
  const files = state.messages.flatMap(({ attachments = [] }) => attachments);
  expect(files.length).toBeGreaterThan(1);
  const server = await fixture.newServer(state);
  const small = await takeBackup(server, {}, { largestFileBytes: 5, bytesPerBackup: 1000 });
  expect(small.warnings).toEqual([
    `${files.length} files of messages are not in this backup: a backup keeps files of up to 0 MiB`,
  ]);
  const full = await takeBackup(server, {}, { largestFileBytes: 100, bytesPerBackup: 10 });
  expect(full.warnings).toEqual([
    `${files.length - 1} files of messages are not in this backup: a backup keeps up to 0 MiB of files`,
  ]);
  expect(full).toMatchObject({ status: 'completed', counts: { messages: state.messages.length } });
});
