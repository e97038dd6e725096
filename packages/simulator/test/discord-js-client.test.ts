import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client, type Guild, TextChannel } from 'discord.js';
import { drawDiscPng } from '../src/platform/cdn/png.ts';
import { botToken, freshId, startTestSimulator, type TestSimulator } from './harness.ts';

let simulator: TestSimulator;
let client: Client;
let guild: Guild;

beforeAll(async () => {
  simulator = await startTestSimulator();
  client = new Client({ intents: [], rest: { api: simulator.api, version: '10', retries: 0 } });
  client.rest.setToken(botToken());
  guild = await client.guilds.fetch(freshId());
});
afterAll(async () => {
  await client.destroy();
  await simulator.stop();
});

test('a role is moved, although the client sends the whole list with the roles above the bot', async () => {
  const botId = freshId();
  const [low, middle, own, high] = [freshId(), freshId(), freshId(), freshId()];
  const id = freshId();
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone' },
      { id: low, name: 'low' },
      { id: middle, name: 'middle' },
      { id: own, name: 'own', permissions: String(1n << 28n) },
      { id: high, name: 'high' },
    ],
    members: [{ user: { id: botId }, roles: [own] }],
  });
  client.rest.setToken(botToken(botId));
  const ordered = await client.guilds.fetch(id);
  const role = await ordered.roles.fetch(low);
  await role?.setPosition(2);
  client.rest.setToken(botToken());
  const { roles }: { roles: { name: string; position: number }[] } = await simulator.control(
    'GET',
    `/guilds/${id}`,
  );
  const names = roles.toSorted((a, b) => a.position - b.position).map(({ name }) => name);
  expect(names).toEqual(['@everyone', 'middle', 'low', 'own', 'high']);
});

test('an emoji is made of bytes that the client calls a jpg, and stays what it is', async () => {
  const bytes = drawDiscPng(16, 0x336699);
  const emoji = await guild.emojis.create({ attachment: bytes, name: 'sky' });
  const image = await fetch(`${simulator.url}/cdn/emojis/${emoji.id}.png`);
  expect(image.headers.get('content-type')).toBe('image/png');
  expect(bytes.equals(await image.bytes())).toBe(true);
});

test('a webhook writes, is renamed and deleted by its token, and its embeds come with their type', async () => {
  const channel = await guild.channels.create({ name: 'relay' });
  if (!(channel instanceof TextChannel)) throw new Error('The channel is no text channel.');
  const webhook = await channel.createWebhook({ name: 'Relay' });
  const message = await webhook.send({ content: 'Hello', embeds: [{ title: 'News' }] });
  expect(message.embeds[0]?.data).toMatchObject({ type: 'rich', title: 'News' });
  expect(await webhook.edit({ name: 'Herald' })).toMatchObject({ name: 'Herald' });
  await webhook.delete();
  expect((await channel.fetchWebhooks()).size).toBe(0);
});

test('the intents of the application are read from its flags', async () => {
  const botId = freshId();
  await simulator.control('PUT', `/bots/${botId}`, { intents: ['GUILD_MEMBERS'] });
  const flags = async () =>
    (await (await simulator.call('GET', '/applications/@me', undefined, botToken(botId))).json())
      .flags;
  expect(await flags()).toBe(1 << 15);
});
