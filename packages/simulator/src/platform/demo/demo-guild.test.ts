import { expect, test } from 'bun:test';
import { type APIMessage, Routes } from 'discord.js';
import { answerOf, freshId, startTestSimulator } from '../../../test/harness.ts';

test('the guild of an id has some of everything, and the same in every run', async () => {
  const simulator = await startTestSimulator();
  const id = freshId();
  const state = await simulator.control('GET', `/guilds/${id}`);
  const parts = [
    ...['roles', 'channels', 'threads', 'emojis', 'stickers', 'bans', 'members', 'messages'],
    ...['invites', 'webhooks', 'automod', 'events', 'soundboard'],
  ];
  expect(parts.filter((part) => state[part].length === 0)).toEqual([]);
  expect(state.onboarding).toMatchObject({ enabled: true, prompts: [{}] });
  expect(state.welcomeScreen.welcome_channels).toHaveLength(3);
  expect(state.guild).toMatchObject({ widget_enabled: true, vanity_url_code: expect.any(String) });
  const other = await startTestSimulator();
  expect(await other.control('GET', `/guilds/${id}`)).toEqual(state);
  await other.stop();
  await simulator.stop();
});

test('what the generated guild holds, the platform would hold too', async () => {
  const simulator = await startTestSimulator();
  const rest = simulator.rest();
  const id = freshId();
  // It can be sent back as it is, so it passes the checks of the routes.
  const onboarding = await answerOf<object>(rest.get(Routes.guildOnboarding(id)));
  expect(await rest.put(Routes.guildOnboarding(id), { body: onboarding })).toEqual(onboarding);
  const welcome = await answerOf<object>(rest.get(Routes.guildWelcomeScreen(id)));
  await rest.patch(Routes.guildWelcomeScreen(id), { body: welcome });
  const events = await answerOf<{ scheduled_start_time: string; image: string | null }[]>(
    rest.get(Routes.guildScheduledEvents(id)),
  );
  for (const event of events) {
    expect(Date.parse(event.scheduled_start_time)).toBeGreaterThan(Date.now());
    const body = { ...event, image: undefined, recurrence_rule: undefined };
    await rest.post(Routes.guildScheduledEvents(id), { body });
  }
  const rules = await answerOf<object[]>(rest.get(Routes.guildAutoModerationRules(id)));
  expect(rules).toHaveLength(2);
  await rest.post(Routes.guildAutoModerationRules(id), { body: rules[0] });
  const { channels } = await simulator.control('GET', `/guilds/${id}`);
  const idOf = (name: string) =>
    channels.find((channel: { name: string }) => channel.name === name).id;
  const [picture] = await answerOf<APIMessage[]>(
    rest.get(Routes.channelMessages(idOf('pictures'))),
  );
  const [file] = picture?.attachments ?? [];
  expect((await (await fetch(file?.url ?? '')).bytes()).length).toBe(file?.size ?? -1);
  const posts = await rest.get(Routes.channelThreads(idOf('help'), 'public'));
  expect(posts).toMatchObject({ threads: [{ message_count: 1 }] });
  await simulator.stop();
});
