import { expect, test } from 'bun:test';
import {
  type APIAutoModerationRule,
  type APIGuildOnboarding,
  type RESTGetAPIAuditLogResult,
  Routes,
} from 'discord.js';
import { answerOf, botId, freshId, refusalOf, startBotSimulator } from '../../../test/harness.ts';

const { simulator, rest } = await startBotSimulator();

/** A community with eight channels; everyone reads and writes in all but the last. */
const putCommunity = async (permissions = 8n, features = ['COMMUNITY']) => {
  const [id, roleId, memberRoleId] = [freshId(), freshId(), freshId()];
  const channelIds = Array.from({ length: 8 }, freshId);
  const hidden = [{ id, type: 0, allow: '0', deny: '1024' }];
  await simulator.control('PUT', `/guilds/${id}`, {
    guild: { features },
    roles: [
      { id, name: '@everyone', permissions: '3072' },
      { id: memberRoleId, name: 'member' },
      { id: roleId, name: 'bot', permissions: permissions.toString() },
    ],
    channels: channelIds.map((channelId, index) => ({
      id: channelId,
      name: `channel-${index}`,
      permission_overwrites: index === 7 ? hidden : [],
    })),
    members: [{ user: { id: botId }, roles: [roleId] }],
  });
  const hiddenId = channelIds.pop() ?? '';
  return { id, memberRoleId, channelIds, hiddenId };
};

const keywordRule = {
  name: 'Words',
  event_type: 1,
  trigger_type: 1,
  trigger_metadata: { keyword_filter: ['*casino*'] },
  actions: [{ type: 1, metadata: { custom_message: 'No.' } }],
  enabled: true,
};

const createRule = (guildId: string, changes: object = {}) =>
  answerOf<APIAutoModerationRule>(
    rest.post(Routes.guildAutoModerationRules(guildId), { body: { ...keywordRule, ...changes } }),
  );

test('rules are made, read, edited and deleted', async () => {
  const { id, channelIds } = await putCommunity();
  const rule = await createRule(id, { exempt_channels: [channelIds[0]] });
  expect(rule).toMatchObject({
    ...keywordRule,
    guild_id: id,
    creator_id: botId,
    trigger_metadata: { keyword_filter: ['*casino*'], regex_patterns: [], allow_list: [] },
    exempt_channels: [channelIds[0]],
  });
  const route = Routes.guildAutoModerationRule(id, rule.id);
  const body = { enabled: false, trigger_metadata: { allow_list: ['royale'] } };
  expect(await rest.patch(route, { body })).toMatchObject({
    enabled: false,
    trigger_metadata: { keyword_filter: ['*casino*'], allow_list: ['royale'] },
  });
  expect(await rest.get(Routes.guildAutoModerationRules(id))).toHaveLength(1);
  await rest.delete(route);
  expect(await refusalOf(rest.get(route))).toBe('404/0');
});

test('each trigger has its number of rules', async () => {
  const { id } = await putCommunity();
  for (let index = 0; index < 6; index += 1) await createRule(id);
  expect(await refusalOf(createRule(id))).toBe('400/50035');
  for (const trigger_type of [3, 4, 5]) {
    await createRule(id, { trigger_type, trigger_metadata: {} });
    const second = createRule(id, { trigger_type, trigger_metadata: {} });
    expect(await refusalOf(second)).toBe('400/50035');
  }
  const profile = { trigger_type: 6, event_type: 2, actions: [{ type: 4 }] };
  expect(await createRule(id, profile)).toMatchObject({ actions: [{ type: 4, metadata: {} }] });
  expect(await refusalOf(createRule(id, profile))).toBe('400/50035');
});

test('an action must fit its trigger, its channel and the powers of the bot', async () => {
  const { id } = await putCommunity();
  const refuse = (changes: object) => refusalOf(createRule(id, changes));
  const alert = { actions: [{ type: 2, metadata: { channel_id: freshId() } }] };
  expect(await refuse(alert)).toBe('400/50035');
  const timeout = { actions: [{ type: 3, metadata: { duration_seconds: 60 } }] };
  expect(await refuse({ ...timeout, trigger_type: 3 })).toBe('400/50035');
  expect(await refuse({ actions: [{ type: 4 }] })).toBe('400/50035');
  const manager = await putCommunity(1n << 5n);
  expect(await refusalOf(createRule(manager.id, timeout))).toBe('403/50013');
  expect(await refusalOf(createRule(manager.id))).toBe('accepted');
  const weak = await putCommunity(0n);
  const list = rest.get(Routes.guildAutoModerationRules(weak.id));
  expect(await refusalOf(list)).toBe('403/50013');
});

const putOnboarding = (guildId: string, body: object) =>
  answerOf<APIGuildOnboarding>(rest.put(Routes.guildOnboarding(guildId), { body }));

test('onboarding is replaced, and what was there keeps its ids', async () => {
  const { id, memberRoleId, channelIds } = await putCommunity();
  const option = { title: 'Yes', role_ids: [memberRoleId], emoji_name: '👍' };
  const prompt = { id: '1', title: 'Come in?', options: [option, { id: '2', title: 'No' }] };
  const body = { prompts: [prompt], default_channel_ids: channelIds, enabled: true, mode: 0 };
  const made = await putOnboarding(id, body);
  const [made0] = made.prompts;
  expect(made0?.id).toMatch(/^\d{17,}$/);
  expect(made).toMatchObject({
    guild_id: id,
    enabled: true,
    prompts: [
      {
        title: 'Come in?',
        required: false,
        options: [
          {
            title: 'Yes',
            description: '',
            emoji: { id: null, name: '👍', animated: false },
            role_ids: [memberRoleId],
            channel_ids: [],
          },
          { title: 'No' },
        ],
      },
    ],
  });
  const options = [{ ...option, id: made0?.options[0]?.id }];
  const again = await putOnboarding(id, {
    prompts: [
      { ...prompt, id: made0?.id, options },
      { ...prompt, id: '3' },
    ],
  });
  expect(again.prompts.map((one) => one.id === made0?.id)).toEqual([true, false]);
  expect(again.prompts[0]?.options).toMatchObject([{ id: made0?.options[0]?.id }]);
  expect(await rest.get(Routes.guildOnboarding(id))).toEqual(again);
});

test('the channels of onboarding are and stay visible to everyone', async () => {
  const { id, channelIds, hiddenId } = await putCommunity();
  const hidden = putOnboarding(id, { default_channel_ids: [...channelIds, hiddenId] });
  expect(await refusalOf(hidden)).toBe('400/350003');
  await putOnboarding(id, { default_channel_ids: channelIds, enabled: true });
  const channelId = channelIds[0] ?? '';
  const body = { type: 0, deny: '1024' };
  const hide = rest.put(Routes.channelPermission(channelId, id), { body });
  expect(await refusalOf(hide)).toBe('400/350003');
  const overwrites = { permission_overwrites: [{ id, ...body }] };
  const edit = rest.patch(Routes.channel(channelId), { body: overwrites });
  expect(await refusalOf(edit)).toBe('400/350003');
});

test('onboarding is enabled only in a community with enough channels', async () => {
  const { id, channelIds } = await putCommunity();
  const few = channelIds.slice(1);
  const enable = (guildId: string, default_channel_ids: string[]) =>
    refusalOf(putOnboarding(guildId, { default_channel_ids, enabled: true }));
  expect(await enable(id, few)).toBe('400/350000');
  expect(await enable(id, channelIds)).toBe('accepted');
  expect(await enable(id, few)).toBe('400/350001');
  const plain = await putCommunity(8n, []);
  expect(await enable(plain.id, plain.channelIds)).toBe('400/350000');
  const unknown = putOnboarding(id, { enabled: false, default_channel_ids: [freshId()] });
  expect(await refusalOf(unknown)).toBe('400/50035');
  const weak = await putCommunity(1n << 5n);
  expect(await enable(weak.id, weak.channelIds)).toBe('403/50013');
});

test('the welcome screen belongs to communities and is shown as a feature', async () => {
  const { id, channelIds } = await putCommunity();
  const route = Routes.guildWelcomeScreen(id);
  const channels = [{ channel_id: channelIds[0], description: 'Start here', emoji_name: '👋' }];
  const body = { description: 'Hello', welcome_channels: channels, enabled: true };
  const shown = {
    description: 'Hello',
    welcome_channels: [{ ...channels[0], emoji_id: null }],
  };
  expect(await rest.patch(route, { body })).toEqual(shown);
  expect(await rest.get(route)).toEqual(shown);
  const features = ['COMMUNITY', 'WELCOME_SCREEN_ENABLED'];
  expect(await rest.get(Routes.guild(id))).toMatchObject({ features });
  const unknown = [{ channel_id: freshId(), description: 'x' }];
  const bad = rest.patch(route, { body: { welcome_channels: unknown } });
  expect(await refusalOf(bad)).toBe('400/50035');
  await rest.delete(Routes.channel(channelIds[0] ?? ''));
  expect(await rest.get(route)).toMatchObject({ welcome_channels: [] });
  const plain = await putCommunity(8n, []);
  const none = rest.patch(Routes.guildWelcomeScreen(plain.id), { body });
  expect(await refusalOf(none)).toBe('404/10069');
});

test('strangers learn of a server only by its widget whether it exists', async () => {
  const guildId = freshId();
  await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
  const ask = async (path: string) => {
    const response = await simulator.call('GET', `/guilds/${guildId}${path}`);
    const { code, id } = await response.json();
    return [response.status, code ?? id];
  };
  expect([await ask(''), await ask('/widget.json')]).toEqual([
    [403, 50001],
    [403, 50004],
  ]);
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...{ botAccess: { isMember: false }, guild: { widget_enabled: true } },
  });
  expect(await ask('/widget.json')).toEqual([200, guildId]);
  await simulator.control('DELETE', `/guilds/${guildId}`);
  expect(await ask('/widget.json')).toEqual([404, 10_004]);
});

test('the widget names a channel that is there', async () => {
  const { id, channelIds } = await putCommunity();
  const route = Routes.guildWidgetSettings(id);
  const body = { enabled: true, channel_id: channelIds[0] };
  expect(await rest.patch(route, { body })).toMatchObject(body);
  expect(await rest.get(route)).toMatchObject(body);
  const unknown = rest.patch(route, { body: { channel_id: freshId() } });
  expect(await refusalOf(unknown)).toBe('404/10003');
});

test('control sets what it read', async () => {
  const { id, channelIds } = await putCommunity();
  await createRule(id);
  await putOnboarding(id, { default_channel_ids: channelIds, enabled: true });
  const state = await simulator.control('GET', `/guilds/${id}`);
  expect(state).toMatchObject({
    automod: [{ name: 'Words' }],
    onboarding: { enabled: true, default_channel_ids: channelIds },
    welcomeScreen: { description: null },
  });
  await simulator.control('PUT', `/guilds/${id}`, state);
  expect(await simulator.control('GET', `/guilds/${id}`)).toEqual(state);
});

test('who answers the onboarding gives themselves its roles, whatever they may do', async () => {
  const { id, memberRoleId, channelIds } = await putCommunity();
  const person = freshId();
  const state = await simulator.control('GET', `/guilds/${id}`);
  const option = { id: freshId(), title: 'Sailor', role_ids: [memberRoleId], channel_ids: [] };
  const prompts = [{ id: freshId(), title: 'Who are you?', options: [option] }];
  await simulator.control('PUT', `/guilds/${id}`, {
    ...state,
    members: [...state.members, { user: { id: person }, roles: [] }],
    onboarding: { prompts, default_channel_ids: channelIds, enabled: true, mode: 0 },
  });
  const answer = (optionIds: string[]) =>
    simulator.control('POST', `/guilds/${id}/onboarding/answers`, { userId: person, optionIds });
  expect(await answer([option.id])).toEqual({ roles: [memberRoleId] });
  await expect(answer([freshId()])).rejects.toThrow('400');
  const log = await answerOf<RESTGetAPIAuditLogResult>(rest.get(Routes.guildAuditLog(id)));
  expect(log.audit_log_entries).toMatchObject([
    {
      ...{ action_type: 25, user_id: person, target_id: person },
      changes: [{ key: '$add', new_value: [{ id: memberRoleId }] }],
    },
  ]);
});
