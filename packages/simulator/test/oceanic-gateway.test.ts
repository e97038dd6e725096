import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client, Intents } from 'oceanic.js';
import { botToken, freshId, startTestSimulator, type TestSimulator } from './harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

test('a second client library logs in, hears changes and resumes after a cut', async () => {
  const [botId, guildId] = [freshId(), freshId()];
  const call = (method: string, path: string, body?: unknown) =>
    simulator.call(method, path, body, botToken(botId));
  await call('GET', `/guilds/${guildId}`);
  const client = new Client({
    auth: `Bot ${botToken(botId)}`,
    rest: { baseURL: `${simulator.api}/v10` },
    gateway: { intents: [Intents.GUILDS, Intents.GUILD_MODERATION], maxReconnectAttempts: 5 },
  });
  // It tells of each lost connection here.
  client.on('error', () => {});
  const ready = Promise.withResolvers<void>();
  client.once('ready', () => ready.resolve());
  await client.connect();
  await ready.promise;
  expect(client.guilds.get(guildId)?.channels.size).toBeGreaterThan(5);

  const renamed = async (name: string) => {
    const heard = Promise.withResolvers<string>();
    client.once('guildUpdate', (guild) => heard.resolve(guild.name));
    await call('PATCH', `/guilds/${guildId}`, { name });
    expect(await heard.promise).toBe(name);
  };
  const logged = Promise.withResolvers<string | null>();
  client.once('guildAuditLogEntryCreate', (_, entry) => logged.resolve(entry.userID));
  await renamed('First');
  expect(await logged.promise).toBe(botId);

  const resumed = Promise.withResolvers<void>();
  client.once('shardResume', () => resumed.resolve());
  await simulator.control('POST', '/gateway/actions', { action: 'close', code: 4000, botId });
  await resumed.promise;
  await renamed('Second');
  const { bots } = await simulator.control('GET', `/gateway?botId=${botId}`);
  expect(bots[0]).toMatchObject({ identifies: 1, resumes: 1 });
  client.disconnect(false);
});
