import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type APIApplication,
  type APIMessage,
  ApplicationFlags,
  GatewayIntentBits,
  Routes,
} from 'discord.js';
import {
  answerOf,
  botToken,
  freshId,
  refusalOf,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const withIntents = async (intents?: string[] | number) => {
  const botId = freshId();
  if (intents !== undefined) await simulator.control('PUT', `/bots/${botId}`, { intents });
  return { botId, rest: simulator.rest(botToken(botId)) };
};

const flagsWith = async (intents?: string[] | number) => {
  const { rest } = await withIntents(intents);
  const { flags } = await answerOf<APIApplication>(rest.get(Routes.currentApplication()));
  return Number(flags);
};

test('an application shows which privileged intents are switched on: all, unless set', async () => {
  const { GatewayGuildMembersLimited, GatewayPresenceLimited, GatewayMessageContentLimited } =
    ApplicationFlags;
  expect(await flagsWith()).toBe(
    GatewayGuildMembersLimited | GatewayPresenceLimited | GatewayMessageContentLimited,
  );
  expect(await flagsWith([])).toBe(0);
  expect(await flagsWith(['GUILDS', 'MESSAGE_CONTENT'])).toBe(GatewayMessageContentLimited);
  expect(await flagsWith(GatewayIntentBits.Guilds | GatewayIntentBits.GuildMembers)).toBe(
    GatewayGuildMembersLimited,
  );
});

test('without GUILD_MEMBERS members are not listed, but one can be read', async () => {
  const { botId, rest } = await withIntents(['MESSAGE_CONTENT']);
  const guildId = freshId();
  expect(await refusalOf(rest.get(Routes.guildMembers(guildId)))).toBe('403/50001');
  expect(await refusalOf(rest.get(Routes.guildMember(guildId, botId)))).toBe('accepted');
  await simulator.control('PUT', `/bots/${botId}`, { intents: ['GUILD_MEMBERS'] });
  expect(await refusalOf(rest.get(Routes.guildMembers(guildId)))).toBe('accepted');
});

test('without MESSAGE_CONTENT messages of others are empty, unless they mention the bot', async () => {
  const { botId, rest } = await withIntents(['GUILD_MEMBERS']);
  const guildId = freshId();
  const channelId = freshId();
  const author = { id: freshId() };
  const embeds = [{ type: 'rich', title: 'Plan' }];
  const message = (content: string) => ({ channel_id: channelId, author, content, embeds });
  await simulator.control('PUT', `/guilds/${guildId}`, {
    channels: [{ id: channelId, name: 'talk' }],
    messages: [
      { ...message('Good morning'), pinned: true },
      message(`Wake up, <@${botId}>`),
      message(`Wake up, <@!${botId}>`),
    ],
  });
  const route = Routes.channelMessages(channelId);
  await rest.post(route, { body: { content: 'My own' } });
  const page = await answerOf<APIMessage[]>(rest.get(route));
  expect(page.map(({ content }) => content)).toEqual([
    'My own',
    `Wake up, <@!${botId}>`,
    `Wake up, <@${botId}>`,
    '',
  ]);
  const hidden = page[3];
  expect(hidden).toMatchObject({ author, embeds: [], attachments: [], components: [] });
  const alone = await rest.get(Routes.channelMessage(channelId, hidden?.id ?? ''));
  expect(alone).toMatchObject({ content: '', embeds: [] });
  expect(await rest.get(Routes.channelMessagesPins(channelId))).toMatchObject({
    items: [{ message: { content: '' } }],
  });
  await simulator.control('PUT', `/bots/${botId}`, { intents: ['MESSAGE_CONTENT'] });
  const shown = await answerOf<APIMessage[]>(rest.get(route));
  expect(shown[3]).toMatchObject({ content: 'Good morning', embeds });
});
