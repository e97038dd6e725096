import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Client, type ClientEvents, Events, GatewayIntentBits } from 'discord.js';
import { CHANGING_STEPS } from './changing-routes.ts';
import { botToken, freshId, startTestSimulator, type TestSimulator } from './harness.ts';
import { setUpSteps, takeStep } from './take-steps.ts';

let simulator: TestSimulator;
const clients: Client[] = [];

beforeAll(async () => {
  simulator = await startTestSimulator();
});
beforeEach(() => simulator.control('PUT', '/gateway', {}));
afterAll(async () => {
  for (const client of clients) await client.destroy();
  await simulator.stop();
});

const ALL_INTENTS = Object.values(GatewayIntentBits).filter((bit) => typeof bit === 'number');

const newClient = (intents = ALL_INTENTS) => {
  const rest = { api: simulator.api, version: '10', retries: 0 };
  const client = new Client({ intents, rest });
  clients.push(client);
  return client;
};

const once = <Name extends keyof ClientEvents>(client: Client, name: Name) =>
  new Promise<ClientEvents[Name]>((resolve) => {
    client.once(name, (...args) => resolve(args));
  });

const logIn = async (botId: string, intents = ALL_INTENTS) => {
  const client = newClient(intents);
  const ready = once(client, Events.ClientReady);
  await client.login(botToken(botId));
  await ready;
  return client;
};

const HEARD = [
  ...(['guildUpdate', 'roleCreate', 'roleUpdate', 'roleDelete'] as const),
  ...(['channelCreate', 'channelUpdate', 'channelDelete', 'channelPinsUpdate'] as const),
  ...(['threadCreate', 'threadUpdate', 'threadDelete', 'threadMembersUpdate'] as const),
  ...(['guildMemberAdd', 'guildMemberUpdate', 'guildMemberRemove'] as const),
  ...(['guildBanAdd', 'guildBanRemove', 'guildAuditLogEntryCreate'] as const),
  ...(['emojiCreate', 'emojiUpdate', 'emojiDelete'] as const),
  ...(['stickerCreate', 'stickerUpdate', 'stickerDelete'] as const),
  ...(['guildSoundboardSoundCreate', 'guildSoundboardSoundUpdate'] as const),
  ...(['guildSoundboardSoundDelete', 'guildIntegrationsUpdate', 'webhooksUpdate'] as const),
  ...(['inviteCreate', 'inviteDelete', 'messageCreate', 'messageUpdate'] as const),
  ...(['messageDelete', 'messageDeleteBulk', 'messageReactionAdd'] as const),
  ...(['messageReactionRemove', 'messageReactionRemoveAll'] as const),
  ...(['messageReactionRemoveEmoji', 'autoModerationRuleCreate'] as const),
  ...(['autoModerationRuleUpdate', 'autoModerationRuleDelete'] as const),
  ...(['guildScheduledEventCreate', 'guildScheduledEventUpdate'] as const),
  ...(['guildScheduledEventDelete', 'presenceUpdate'] as const),
];

test('the usual client logs in and hears every kind of change', async () => {
  const ids = await setUpSteps(simulator);
  const client = await logIn(ids.bot);
  expect(client.guilds.cache.get(ids.guild)?.channels.cache.get(ids.hall)?.name).toBe('hall');
  const heard = new Set<string>();
  for (const name of HEARD) client.on(name, () => heard.add(name));
  for (const step of CHANGING_STEPS) await takeStep(simulator, ids, step);
  // The foreign bot was removed on the way; a person of the server shows itself instead.
  const other = await logIn(ids.other, [GatewayIntentBits.Guilds]);
  other.user?.setPresence({ status: 'idle', activities: [{ name: 'the tide' }] });
  await once(client, Events.PresenceUpdate);
  expect(HEARD.filter((name) => !heard.has(name))).toEqual([]);
  const left = once(client, Events.GuildDelete);
  await simulator.control('DELETE', `/guilds/${ids.guild}`);
  expect((await left)[0].id).toBe(ids.guild);
});

test('the entry of the audit log names who acted and what', async () => {
  const ids = await setUpSteps(simulator);
  const client = await logIn(ids.bot);
  const heard = once(client, Events.GuildAuditLogEntryCreate);
  await client.guilds.cache.get(ids.guild)?.roles.create({ name: 'Crew', reason: 'For order' });
  const [entry] = await heard;
  expect([entry.executorId, entry.actionType, entry.reason]).toEqual([
    ids.bot,
    'Create',
    'For order',
  ]);
});

test('after a cut it resumes, and hears what it missed', async () => {
  const ids = await setUpSteps(simulator);
  const client = await logIn(ids.bot);
  for (const action of ['cut', 'reconnect', 'close']) {
    const resumed = once(client, Events.ShardResume);
    await simulator.control('POST', '/gateway/actions', { action, botId: ids.bot });
    const heard = once(client, Events.GuildUpdate);
    await simulator.call('PATCH', `/guilds/${ids.guild}`, { name: action }, botToken(ids.bot));
    await resumed;
    expect((await heard)[1].name).toBe(action);
  }
  const { bots } = await simulator.control('GET', `/gateway?botId=${ids.bot}`);
  expect(bots[0]).toMatchObject({ identifies: 1, resumes: 3 });
  expect(bots[0].sessions).toHaveLength(1);
});

test('a missing intent or a dead token refuses the login for good', async () => {
  const botId = freshId();
  await simulator.control('PUT', `/bots/${botId}`, { intents: [] });
  const client = newClient([GatewayIntentBits.GuildMembers]);
  await expect(client.login(botToken(botId))).rejects.toThrow(/disallowed intents/i);
  const { bots } = await simulator.control('GET', `/gateway?botId=${botId}`);
  expect(bots[0]).toMatchObject({ identifies: 0, sessions: [] });
});
