import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DiscordAPIError, type REST, Routes } from 'discord.js';
import {
  botToken,
  freshId,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';
import { drawDiscPng } from '../cdn/png.ts';

let simulator: TestSimulator;
let rest: REST;

beforeAll(async () => {
  simulator = await startTestSimulator();
  rest = simulator.rest();
});
afterAll(() => simulator.stop());

const png = `data:image/png;base64,${drawDiscPng(8, 0xff8800).toString('base64')}`;
const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=';

const guildWith = async (guild: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  const id = freshId();
  await simulator.control('PUT', `/guilds/${id}`, { guild, ...more });
  return id;
};

/** "code field", the field as the error names it; "accepted" otherwise. */
const refusedField = async (request: Promise<unknown>): Promise<string> => {
  try {
    await request;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    const raw = 'errors' in error.rawError ? error.rawError.errors : undefined;
    return [error.code, ...pathOf(raw)].join(' ');
  }
};

const pathOf = (errors: unknown): string[] => {
  const [first] = Object.entries(Object(errors));
  return first && first[0] !== '_errors' ? [first[0], ...pathOf(first[1])] : [];
};

const pictures: [feature: string, change: Record<string, string>][] = [
  ['ANIMATED_ICON', { icon: gif }],
  ['BANNER', { banner: png }],
  ['INVITE_SPLASH', { splash: png }],
  ['DISCOVERABLE', { discovery_splash: png }],
];

for (const [feature, change] of pictures) {
  const [field = ''] = Object.keys(change);
  test(`${field} needs the feature ${feature}, and nothing else of the call is taken without`, async () => {
    const body = { name: 'Another name', ...change };
    const without = await guildWith({ name: 'Before', features: [] });
    expect(await refusedField(rest.patch(Routes.guild(without), { body }))).toBe(`50035 ${field}`);
    expect(await rest.get(Routes.guild(without))).toMatchObject({ name: 'Before', [field]: null });
    const cleared = rest.patch(Routes.guild(without), { body: { [field]: null } });
    expect(await refusedField(cleared)).toBe('accepted');
    const withIt = await guildWith({ features: [feature] });
    expect(await refusedField(rest.patch(Routes.guild(withIt), { body }))).toBe('accepted');
  });
}

test('icons and gradients of roles need their features', async () => {
  const change = async (features: string[], body: unknown) =>
    refusedField(rest.post(Routes.guildRoles(await guildWith({ features })), { body }));
  const gradient = { colors: { primary_color: 1, secondary_color: 2, tertiary_color: null } };
  expect(await change([], { unicode_emoji: '🦊' })).toBe('50035 unicode_emoji');
  expect(await change([], { icon: png })).toBe('50035 icon');
  expect(await change(['ROLE_ICONS'], { unicode_emoji: '🦊' })).toBe('accepted');
  expect(await change([], gradient)).toBe('50035 colors secondary_color');
  expect(await change(['ENHANCED_ROLE_COLORS'], gradient)).toBe('accepted');
  expect(await change([], { colors: { primary_color: 1 }, icon: null })).toBe('accepted');
});

test('announcement, stage, forum and media channels exist only in a community', async () => {
  const plain = await guildWith({});
  const community = await guildWith({ features: ['COMMUNITY'] });
  for (const type of [5, 13, 15, 16]) {
    const make = (id: string) =>
      refusedField(rest.post(Routes.guildChannels(id), { body: { name: 'x', type } }));
    expect([type, await make(plain)]).toEqual([type, '50035 type']);
    expect([type, await make(community)]).toEqual([type, 'accepted']);
  }
  const text = await rest.post(Routes.guildChannels(plain), { body: { name: 'x' } });
  const { id } = text as { id: string };
  const convert = rest.patch(Routes.channel(id), { body: { type: 5 } });
  expect(await refusedField(convert)).toBe('50035 type');
});

test('a community keeps its rules and updates channels', async () => {
  const [rules, updates] = [freshId(), freshId()];
  const id = await guildWith(
    { features: ['COMMUNITY'], rules_channel_id: rules, public_updates_channel_id: updates },
    { channels: [rules, updates].map((id) => ({ id, name: 'x' })) },
  );
  expect(await refusedField(rest.delete(Routes.channel(rules)))).toBe('50074');
  expect(await refusedField(rest.delete(Routes.channel(updates)))).toBe('50074');
  const drop = rest.patch(Routes.guild(id), { body: { rules_channel_id: null } });
  expect(await refusedField(drop)).toBe('50035 rules_channel_id');
  const leave = rest.patch(Routes.guild(id), { body: { features: [], rules_channel_id: null } });
  expect(await refusedField(leave)).toBe('accepted');
});

test('boosts raise the limits of emoji, stickers and bitrate', async () => {
  const emojis = Array.from({ length: 50 }, (_, index) => ({ name: `e${index}` }));
  const body = { name: 'one_more', image: png };
  const upload = async (guild: Record<string, unknown>) =>
    refusedField(rest.post(Routes.guildEmojis(await guildWith(guild, { emojis })), { body }));
  expect(await upload({ premium_tier: 0 })).toBe('30008');
  expect(await upload({ premium_tier: 1 })).toBe('accepted');
  expect(await upload({ premium_tier: 0, features: ['MORE_EMOJI'] })).toBe('accepted');
  const speak = async (type: number, bitrate: number, premium_tier: number) => {
    const id = await guildWith({ premium_tier, features: ['COMMUNITY'] });
    const channel = { name: 'x', type, bitrate };
    return refusedField(rest.post(Routes.guildChannels(id), { body: channel }));
  };
  expect(await speak(2, 128_000, 0)).toBe('50035 bitrate');
  expect(await speak(2, 128_000, 1)).toBe('accepted');
  expect(await speak(13, 96_000, 3)).toBe('50035 bitrate');
});

test('where two-factor is demanded, a bot whose owner has none cannot moderate', async () => {
  const botId = freshId();
  const careless = simulator.rest(botToken(botId));
  await simulator.control('PUT', `/bots/${botId}`, { isOwnerMfaEnabled: false });
  const channel = freshId();
  const channels = [{ id: channel, name: 'x' }];
  const strict = await guildWith({ mfa_level: 1 }, { channels });
  const rename = (client: REST, id: string) =>
    refusedField(client.patch(Routes.guild(id), { body: { name: 'Renamed' } }));
  expect(await rename(careless, strict)).toBe('60003');
  expect(await refusedField(careless.delete(Routes.channel(channel)))).toBe('60003');
  expect(await refusedField(careless.get(Routes.guildRoles(strict)))).toBe('accepted');
  expect(await rename(rest, strict)).toBe('accepted');
  expect(await rename(careless, await guildWith({ mfa_level: 0 }))).toBe('accepted');
});

test('who may not connect to a voice channel may not manage it', async () => {
  const [botId, own, voice, text] = [freshId(), freshId(), freshId(), freshId()];
  const [view, connect, manage] = [1n << 10n, 1n << 20n, 1n << 4n];
  const id = freshId();
  const closed = [{ id, type: 0, allow: '0', deny: String(connect) }];
  await simulator.control('PUT', `/guilds/${id}`, {
    roles: [
      { id, name: '@everyone', permissions: String(view | connect) },
      { id: own, name: 'own', permissions: String(manage) },
    ],
    members: [{ user: { id: botId }, roles: [own] }],
    channels: [
      { id: voice, name: 'voice', type: 2, permission_overwrites: closed },
      { id: text, name: 'text', permission_overwrites: closed },
    ],
  });
  const rename = (channelId: string) =>
    refusedField(
      simulator.rest(botToken(botId)).patch(Routes.channel(channelId), { body: { name: 'new' } }),
    );
  expect(await rename(voice)).toBe('50013');
  expect(await rename(text)).toBe('accepted');
});
