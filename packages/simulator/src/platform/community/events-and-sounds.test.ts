import { expect, test } from 'bun:test';
import {
  type APIGuildScheduledEvent,
  type APIRole,
  type APISoundboardSound,
  Routes,
} from 'discord.js';
import {
  answerOf,
  botId,
  freshId,
  refusalOf,
  startBotSimulator,
  startTestSimulator,
} from '../../../test/harness.ts';
import { drawDiscPng } from '../cdn/png.ts';

const { simulator, rest } = await startBotSimulator();

const putGuild = async (permissions = 8n, more: object = {}) => {
  const [id, roleId, voiceId] = [freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone', permissions: '0' },
      { id: roleId, name: 'bot', permissions: permissions.toString() },
    ],
    channels: [{ id: voiceId, name: 'Lounge', type: 2 }],
    members: [{ user: { id: botId }, roles: [roleId] }],
    ...more,
  });
  return { id, voiceId };
};

const png = drawDiscPng(16, 0x00ff00);
const picture = `data:image/png;base64,${png.toString('base64')}`;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const meeting = () => ({
  name: 'Meeting',
  privacy_level: 2,
  scheduled_start_time: inHours(1),
  scheduled_end_time: inHours(2),
  entity_type: 3,
  entity_metadata: { location: 'The harbour' },
});

const createEvent = (guildId: string, changes: object = {}) =>
  answerOf<APIGuildScheduledEvent>(
    rest.post(Routes.guildScheduledEvents(guildId), { body: { ...meeting(), ...changes } }),
  );

test('events are made with a cover, read, edited and deleted', async () => {
  const { id, voiceId } = await putGuild();
  const event = await createEvent(id, { image: picture, description: 'Bring tea' });
  expect(event).toMatchObject({
    guild_id: id,
    creator_id: botId,
    status: 1,
    channel_id: null,
    entity_metadata: { location: 'The harbour' },
    description: 'Bring tea',
  });
  const cover = await fetch(`${simulator.url}/cdn/guild-events/${event.id}/${event.image}.png`);
  expect(png.equals(await cover.bytes())).toBe(true);
  const route = Routes.guildScheduledEvent(id, event.id);
  const body = { entity_type: 2, channel_id: voiceId, entity_metadata: null };
  expect(await rest.patch(route, { body })).toMatchObject({
    channel_id: voiceId,
    entity_metadata: null,
  });
  expect(await rest.get(Routes.guildScheduledEvents(id))).toHaveLength(1);
  await rest.delete(route);
  expect(await refusalOf(rest.get(route))).toBe('404/10070');
});

test('an event begins in the future and has a place', async () => {
  const { id, voiceId } = await putGuild();
  const refuse = (changes: object) => refusalOf(createEvent(id, changes));
  expect(await refuse({ scheduled_start_time: inHours(-1) })).toBe('400/50035');
  expect(await refuse({ scheduled_end_time: inHours(0.5) })).toBe('400/50035');
  expect(await refuse({ scheduled_end_time: null })).toBe('400/50035');
  expect(await refuse({ entity_metadata: null })).toBe('400/50035');
  expect(await refuse({ entity_type: 2 })).toBe('400/50035');
  expect(await refuse({ entity_type: 1, channel_id: voiceId })).toBe('400/50035');
  expect(await refuse({ entity_type: 2, channel_id: freshId() })).toBe('404/10003');
  // One that has begun meanwhile stays as it is.
  const past = { id: freshId(), name: 'Past', scheduled_start_time: inHours(-24) };
  const old = await putGuild(8n, { events: [past] });
  const listed = await rest.get(Routes.guildScheduledEvents(old.id));
  expect(listed).toMatchObject([{ id: past.id, status: 1 }]);
});

test('a guild has a hundred events at a time, and a finished one counts no longer', async () => {
  const events = Array.from({ length: 100 }, () => ({
    id: freshId(),
    name: 'Event',
    scheduled_start_time: inHours(5),
  }));
  const { id } = await putGuild(8n, { events });
  expect(await refusalOf(createEvent(id))).toBe('400/30038');
  const route = Routes.guildScheduledEvent(id, events[0]?.id ?? '');
  const set = (status: number) => refusalOf(rest.patch(route, { body: { status } }));
  expect(await set(3)).toBe('400/50035');
  expect(await set(4)).toBe('accepted');
  expect(await set(2)).toBe('400/180000');
  expect(await refusalOf(createEvent(id))).toBe('accepted');
});

test('events of a channel go with it, and making one is a permission of its own', async () => {
  const { id, voiceId } = await putGuild();
  await createEvent(id, { entity_type: 2, channel_id: voiceId });
  await rest.delete(Routes.channel(voiceId));
  expect(await rest.get(Routes.guildScheduledEvents(id))).toEqual([]);
  const manager = await putGuild(1n << 33n);
  expect(await refusalOf(createEvent(manager.id))).toBe('403/50013');
  const maker = await putGuild(1n << 44n);
  const own = await createEvent(maker.id);
  await rest.delete(Routes.guildScheduledEvent(maker.id, own.id));
});

const sound = `data:audio/mpeg;base64,${Buffer.from('tadaa').toString('base64')}`;

const createSound = (guildId: string, changes: object = {}) =>
  answerOf<APISoundboardSound>(
    rest.post(Routes.guildSoundboardSounds(guildId), {
      body: { name: 'Tadaa', sound, emoji_name: '🎉', ...changes },
    }),
  );

test('sounds are made, served, edited and deleted', async () => {
  const { id } = await putGuild();
  const made = await createSound(id, { volume: 0.5 });
  expect(made).toMatchObject({
    name: 'Tadaa',
    volume: 0.5,
    emoji_id: null,
    emoji_name: '🎉',
    guild_id: id,
    user: { id: botId },
  });
  const file = `${simulator.url}/cdn/soundboard-sounds/${made.sound_id}`;
  const served = await fetch(file);
  expect([served.headers.get('content-type'), await served.text()]).toEqual([
    'audio/mpeg',
    'tadaa',
  ]);
  const route = Routes.guildSoundboardSound(id, made.sound_id);
  const body = { name: 'Fanfare', emoji_id: '5', volume: null };
  expect(await rest.patch(route, { body })).toMatchObject({
    name: 'Fanfare',
    emoji_id: '5',
    emoji_name: null,
    volume: 1,
  });
  expect(await rest.get(Routes.guildSoundboardSounds(id))).toMatchObject({
    items: [{ sound_id: made.sound_id }],
  });
  await rest.delete(route);
  expect(await refusalOf(rest.get(route))).toBe('404/10097');
  expect((await fetch(file)).status).toBe(404);
});

test('sounds have slots by boosts, a size and a format', async () => {
  const { id } = await putGuild();
  for (let index = 0; index < 8; index += 1) await createSound(id);
  expect(await refusalOf(createSound(id))).toBe('400/30045');
  const boosted = await putGuild(8n, { guild: { premium_tier: 1 } });
  for (let index = 0; index < 9; index += 1) await createSound(boosted.id);
  const large = Buffer.alloc(512 * 1024 + 1).toString('base64');
  const refuse = (uri: string) => refusalOf(createSound(boosted.id, { sound: uri }));
  expect(await refuse(`data:audio/ogg;base64,${large}`)).toBe('400/50035');
  expect(await refuse(picture)).toBe('400/50035');
});

test('role icons need the feature, are kept and served', async () => {
  const createRole = (guildId: string, body: object) =>
    answerOf<APIRole>(rest.post(Routes.guildRoles(guildId), { body }));
  const plain = await putGuild();
  for (const body of [{ icon: picture }, { unicode_emoji: '⚓' }]) {
    expect(await refusalOf(createRole(plain.id, body))).toBe('400/50035');
  }
  const { id } = await putGuild(8n, { guild: { features: ['ROLE_ICONS'] } });
  const role = await createRole(id, { name: 'Crew', icon: picture });
  const icon = await fetch(`${simulator.url}/cdn/role-icons/${role.id}/${role.icon}.png`);
  expect(png.equals(await icon.bytes())).toBe(true);
  const edit = (body: object) => rest.patch(Routes.guildRole(id, role.id), { body });
  expect(await edit({ unicode_emoji: '⚓' })).toMatchObject({ icon: null, unicode_emoji: '⚓' });
  expect(await edit({ unicode_emoji: null })).toMatchObject({ icon: null, unicode_emoji: null });
  const large = `data:image/png;base64,${Buffer.alloc(256 * 1024 + 1).toString('base64')}`;
  expect(await refusalOf(edit({ icon: large }))).toBe('400/50035');
});

test('control sets events, sounds and icons with their bytes', async () => {
  const { id } = await putGuild(8n, { guild: { features: ['ROLE_ICONS'] } });
  await createEvent(id, { image: picture });
  const { sound_id } = await createSound(id);
  const body = { name: 'Crew', icon: picture };
  await rest.post(Routes.guildRoles(id), { body });
  const state = await simulator.control('GET', `/guilds/${id}`);
  expect(Object.keys(state.images)).toHaveLength(3);
  const other = await startTestSimulator();
  await other.control('PUT', `/guilds/${id}`, state);
  expect(await other.control('GET', `/guilds/${id}`)).toEqual(state);
  expect((await fetch(`${other.url}/cdn/soundboard-sounds/${sound_id}`)).status).toBe(200);
  await other.stop();
});
