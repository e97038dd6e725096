// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { openSocket } from './gateway-client.ts';
import { botToken, freshId, startTestSimulator, type TestSimulator } from './harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const SESSIONS = 5000;
const GUILDS = 1;

test('thousands of bots are connected at once, and each is told of its servers', async () => {
  const shared = freshId();
  const botIds = Array.from({ length: SESSIONS }, freshId);
  await simulator.control('PUT', `/guilds/${shared}`, {
    channels: [{ name: 'hall' }],
    members: botIds.map((id) => ({ user: { id } })),
  });
  const sockets = [];
  for (const botId of botIds) {
    const client = await openSocket(simulator.url);
    client.identify(botId, GUILDS);
    sockets.push(client);
  }
  await Promise.all(sockets.map((client) => client.event('GUILD_CREATE')));
  expect((await simulator.control('GET', '/gateway')).connections).toBe(SESSIONS);
  await simulator.call('PATCH', `/guilds/${shared}`, { name: 'Told to all' });
  const told = await Promise.all(sockets.map((client) => client.event('GUILD_UPDATE')));
  expect(told.every(({ name }) => name === 'Told to all')).toBe(true);
  const closed = sockets.map((client) => client.closed);
  for (const { socket } of sockets) socket.close(1000);
  await Promise.all(closed);
  expect((await simulator.control('GET', '/gateway')).connections).toBe(0);
});

test('after an invalid session the usual client identifies anew', async () => {
  const [botId, guildId] = [freshId(), freshId()];
  await simulator.call('GET', `/guilds/${guildId}`, undefined, botToken(botId));
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: simulator.api, version: '10' },
  });
  const ready = () =>
    new Promise((resolve) => {
      client.once(Events.ShardReady, resolve);
    });
  const first = ready();
  await client.login(botToken(botId));
  await first;
  const second = ready();
  await simulator.control('POST', '/gateway/actions', { action: 'invalidate', botId });
  await second;
  const { bots } = await simulator.control('GET', `/gateway?botId=${botId}`);
  expect(bots[0]).toMatchObject({ identifies: 2, resumes: 0 });
  expect(bots[0].sessions).toHaveLength(1);
  await client.destroy();
});
