import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { crew, fullChannel, gif, png } from '../../test/harness/guilds/full-inputs.ts';
import {
  botTokenOf,
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../test/harness/simulator/platform.ts';
import { Secret } from '../kernel/secret.ts';
import type { ChannelKind } from './guild.ts';
import type { ChannelInput, GivableRoleId, GuildPlatform, Image } from './port.ts';

let simulated: SimulatedPlatform;
let guildId: string;
let guild: GuildPlatform;
const applicationId = freshId();

beforeAll(async () => {
  simulated = await startSimulatedPlatform();
  guildId = freshId();
  const features = [...givenFeatures, 'COMMUNITY', 'DISCOVERABLE'];
  await simulated.control('PUT', `/guilds/${guildId}`, { guild: { name: 'Harbour', features } });
  guild = simulated.platform.bot(botTokenOf(applicationId)).guild(guildId);
});
afterAll(() => simulated.stop());

/** What is set below needs these, and only the platform gives them. */
const givenFeatures = [
  'ROLE_ICONS',
  'ENHANCED_ROLE_COLORS',
  'ANIMATED_ICON',
  'BANNER',
  'INVITE_SPLASH',
];

describe('roles', () => {
  test('are made, edited, moved, listed and deleted', async () => {
    const made = await guild.createRole(crew);
    const own = { isManaged: false, botId: null, iconHash: null, position: 1 };
    expect(made).toEqual({ ...crew, ...own, id: made.id });
    const other = await guild.createRole({ ...crew, name: 'Guests' });
    const edited = await guild.editRole(made.id, { name: 'Deck', unicodeEmoji: null });
    expect(edited).toMatchObject({ name: 'Deck', unicodeEmoji: null, permissions: '2048' });
    await guild.placeRoles([{ id: made.id, position: 1 }]);
    const positionOf = async (id: string) =>
      (await guild.read()).roles.find((role) => role.id === id)?.position;
    expect([await positionOf(made.id), await positionOf(other.id)]).toEqual([1, 2]);
    await guild.deleteRole(made.id);
    expect(await positionOf(made.id)).toBeUndefined();
  });

  test('of a bot say whose they are', async () => {
    const { roles } = await guild.read();
    expect(roles.find(({ isManaged }) => isManaged)).toMatchObject({ botId: applicationId });
  });
});

const fullInput = (kind: ChannelKind): ChannelInput => fullChannel(kind, guildId);

const heard = ['bitrate', 'userLimit', 'rtcRegion', 'videoQualityMode'] as const;
const threads = ['threadArchiveMinutes', 'threadSlowModeSeconds'] as const;
const posts = ['tags', 'defaultReaction', 'defaultSortOrder', 'flags'] as const;

const fieldsOf: Record<ChannelKind, readonly (keyof ChannelInput)[]> = {
  text: ['topic', 'slowModeSeconds', ...threads],
  announcement: ['topic', ...threads],
  voice: ['slowModeSeconds', ...heard],
  stage: ['topic', 'slowModeSeconds', ...heard],
  forum: ['topic', 'slowModeSeconds', ...threads, ...posts, 'defaultForumLayout'],
  media: ['topic', 'slowModeSeconds', ...threads, ...posts],
  category: [],
};
const common = ['kind', 'name', 'position', 'overwrites', 'isAgeRestricted'] as const;

describe('a channel', () => {
  test.each(Object.keys(fieldsOf) as ChannelKind[])(
    'of kind %s comes back as it was wished',
    async (kind) => {
      const input = fullInput(kind);
      const { id } = await guild.createChannel(input);
      // Flags, which a new channel does not take, and all the rest once more.
      const edited = await guild.editChannel(id, input);
      const listed = (await guild.readChannels()).find((channel) => channel.id === id);
      expect(listed).toEqual(edited);
      for (const field of [...common, ...fieldsOf[kind]]) {
        const wanted =
          field === 'tags' ? [expect.objectContaining(input.tags[0] ?? {})] : input[field];
        expect([field, edited[field]]).toEqual([field, wanted]);
      }
      const calls = await simulated.readLog();
      const sent = calls.filter(
        ({ method, path }) => method === 'PATCH' && path === `/channels/${id}`,
      );
      const fields = Object.keys(Object(sent[0]?.body));
      expect(fields.includes('bitrate')).toBe(kind === 'voice' || kind === 'stage');
      expect(fields.includes('available_tags')).toBe(kind === 'forum' || kind === 'media');
      expect(fields.includes('rate_limit_per_user')).toBe(
        !['category', 'announcement'].includes(kind),
      );
      expect(fields.includes('parent_id')).toBe(kind !== 'category');
      await guild.deleteChannel(id);
      expect((await guild.readChannels()).map((channel) => channel.id)).not.toContain(id);
    },
  );

  test('is moved into a category, emptied of its topic and keeps its tags', async () => {
    const box = await guild.createChannel({ ...fullInput('category'), name: 'Box' });
    const forum = await guild.createChannel(fullInput('forum'));
    await guild.placeChannels([
      { id: forum.id, position: 9, parentId: box.id },
      { id: box.id, position: 4 },
    ]);
    const tags = [
      ...forum.tags,
      { name: 'New', isModerated: false, emojiId: null, emojiName: null },
    ];
    const edited = await guild.editChannel(forum.id, { topic: null, tags });
    expect(edited).toMatchObject({ parentId: box.id, position: 9, topic: null });
    expect(edited.tags.map(({ name }) => name)).toEqual(['Open', 'New']);
    expect(edited.tags[0]?.id).toBe(forum.tags[0]?.id ?? '');
  });
});

describe('emoji and stickers', () => {
  test('come back with their pictures', async () => {
    const role = await guild.createRole(crew);
    const still = await guild.createEmoji({ name: 'sun', image: png, roleIds: [role.id] });
    const moving = await guild.createEmoji({ name: 'wave', image: gif, roleIds: [] });
    expect(still).toMatchObject({ name: 'sun', isAnimated: false, roleIds: [role.id] });
    expect(moving).toMatchObject({ name: 'wave', isAnimated: true, isManaged: false });
    for (const [made, image] of [
      [still, png],
      [moving, gif],
    ] as const) {
      const ref = { kind: 'emoji', emojiId: made.id, isAnimated: made.isAnimated } as const;
      expect(await simulated.platform.readImage(ref)).toEqual(image);
    }
    await guild.editEmoji(still.id, { name: 'moon', roleIds: [] });
    await guild.deleteEmoji(moving.id);
    const { emojis } = await guild.read();
    expect(emojis).toEqual([{ ...still, name: 'moon', roleIds: [] }]);
  });

  test('a sticker goes up as a form and is edited', async () => {
    const lottie: Image = {
      contentType: 'application/json',
      bytes: new TextEncoder().encode('{"v":"5.5.7"}'),
    };
    for (const [image, format] of [
      [png, 'png'],
      [gif, 'gif'],
      [lottie, 'lottie'],
    ] as const) {
      const input = { name: 'Moon é', description: null, tags: 'moon', image };
      const { id, ...made } = await guild.createSticker(input);
      expect(made).toEqual({ name: 'Moon é', description: null, tags: 'moon', format });
      const ref = { kind: 'sticker', stickerId: id, format } as const;
      expect(await simulated.platform.readImage(ref)).toEqual(image);
      await guild.editSticker(id, { name: 'Star', description: 'bright' });
      const { stickers } = await guild.read();
      expect(stickers).toEqual([{ ...made, id, name: 'Star', description: 'bright' }]);
      await guild.deleteSticker(id);
    }
  });
});

describe('people', () => {
  test('are banned with a reason, listed by pages and pardoned', async () => {
    const [first = '', second = ''] = [freshId(), freshId()];
    await guild.ban(first, 'Too loud: é 🎺');
    await guild.ban(second, null);
    expect(await guild.readBans('0')).toEqual([
      { userId: first, reason: 'Too loud: é 🎺' },
      { userId: second, reason: null },
    ]);
    expect(await guild.readBans(first)).toEqual([{ userId: second, reason: null }]);
    await guild.unban(first);
    await guild.unban(second);
    await guild.ban(first, `${'🎺'.repeat(600)}\ud800`);
    expect((await guild.readBans('0'))[0]?.reason).toBe('🎺'.repeat(512));
  });

  test('join by their token, get their roles and their name', async () => {
    const userId = freshId();
    const input = { clientId: applicationId, userId, scopes: ['guilds.join'] };
    const { access_token }: { access_token: string } = await simulated.control(
      'POST',
      '/tokens',
      input,
    );
    const [one, two] = [await guild.createRole(crew), await guild.createRole(crew)];
    const token = async () => new Secret(access_token);
    // As if each had been judged to be harmless.
    const giving = (id: string) => async () => [id as GivableRoleId];
    const given = { roleIds: giving(one.id), nick: 'Bosun' };
    expect(await guild.addMember(userId, token, given)).toBe('joined');
    expect(await guild.addMember(userId, token, { roleIds: giving(two.id) })).toBe('alreadyMember');
    expect(await guild.readMember(userId)).toEqual({
      userId,
      nick: 'Bosun',
      timedOutUntil: null,
      roleIds: [one.id],
      isBot: false,
      joinedAt: expect.stringMatching(/^\d{4}-/),
      username: expect.any(String),
    });
    const other = guild.giveRole(userId, two.id, giving(one.id));
    await expect(other).rejects.toMatchObject({ kind: 'withheld' });
    await guild.giveRole(userId, two.id, giving(two.id));
    await guild.editMember(userId, { nick: 'Ahab' });
    const listed = (await guild.readMembers('0')).find((member) => member.userId === userId);
    expect(listed).toMatchObject({ nick: 'Ahab', roleIds: [one.id, two.id] });
    await guild.editMember(userId, { roleIds: [], nick: null });
    expect(await guild.readMember(userId)).toMatchObject({ nick: null, roleIds: [] });
  });

  test('contain: kick, ban many, pause invites, and read who did it', async () => {
    const [kicked, banned, again] = [freshId(), freshId(), freshId()];
    for (const id of [kicked, banned]) {
      await simulated.control('PUT', `/users/${id}`, { guildIds: [guildId] });
    }
    await guild.kick(kicked);
    await expect(guild.readMember(kicked)).rejects.toMatchObject({ kind: 'unknownMember' });
    await guild.ban(again, null);
    expect(await guild.banMany([banned, again], 'Raid')).toEqual({ notBanned: [again] });

    const until = new Date(Date.now() + 60_000);
    await guild.pauseInvites(until);
    expect((await guild.read()).invitesPausedUntil).toEqual(until);
    await guild.pauseInvites(null);
    expect((await guild.read()).invitesPausedUntil).toBeUndefined();

    const newest = await guild.readAuditLog({ limit: 3 });
    expect(newest.map(({ action, targetId }) => [action, targetId])).toEqual([
      ...[
        ['memberKicked', kicked],
        ['memberBanned', again],
      ],
      ['memberBanned', banned],
    ]);
    expect(newest[2]).toMatchObject({ executorId: applicationId, reason: 'Raid', guildId });
    const [first, second, third] = newest.map(({ entryId }) => entryId);
    const idsOf = async (page: { after?: string; before?: string }) =>
      (await guild.readAuditLog({ ...page, limit: 1 })).map(({ entryId }) => entryId);
    expect(await idsOf({ after: first })).toEqual([second ?? '']);
    expect(await idsOf({ before: third })).toEqual([second ?? '']);
  });

  test('read messages that notify no one, newest first', async () => {
    const { id } = await guild.createChannel({ ...fullInput('text'), overwrites: [] });
    for (const text of ['one', 'two', '@everyone three']) await guild.sendMessage(id, { text });
    const bot = simulated.platform.bot(botTokenOf(applicationId));
    const conversation = bot.conversation(guildId);
    const messages = await conversation.readMessages(id, { limit: 2 });
    expect(messages.map(({ content }) => content)).toEqual(['@everyone three', 'two']);
    expect(messages[0]).toMatchObject({
      authorId: applicationId,
      isPinned: false,
      attachments: [],
    });
    const older = await conversation.readMessages(id, { limit: 2, before: messages[1]?.id });
    expect(older.map(({ content }) => content)).toEqual(['one']);
    const sent = (await simulated.readLog()).filter(
      ({ path }) => path === `/channels/${id}/messages`,
    );
    expect(sent[0]?.body).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  test('see the bot under its own name', async () => {
    const bot = simulated.platform.bot(botTokenOf(applicationId));
    expect(await bot.readBot()).toMatchObject({ userId: applicationId, avatarHash: null });
  });
});

test('settings are read back as they were set, images included', async () => {
  const channel = await guild.createChannel({ ...fullInput('text'), overwrites: [] });
  const lounge = await guild.createChannel({ ...fullInput('voice'), overwrites: [] });
  const input = {
    name: 'New harbour',
    description: 'Ships and more',
    verificationLevel: 2,
    defaultMessageNotifications: 1,
    explicitContentFilter: 2,
    preferredLocale: 'de',
    afkChannelId: lounge.id,
    afkTimeoutSeconds: 900,
    systemChannelId: channel.id,
    systemChannelFlags: 5,
    rulesChannelId: channel.id,
    publicUpdatesChannelId: channel.id,
    safetyAlertsChannelId: channel.id,
    isProgressBarEnabled: true,
    features: [...givenFeatures, 'COMMUNITY'],
  };
  await guild.editSettings({ ...input, icon: gif, splash: png, discoverySplash: png, banner: png });
  const { settings, ownerId, memberCount } = await guild.read();
  const { iconHash, splashHash, discoverySplashHash, bannerHash, ...rest } = settings;
  expect(rest).toEqual(input);
  expect(ownerId).toMatch(/^\d+$/);
  expect(memberCount).toBeGreaterThan(0);
  const pictures = [
    ['guildIcon', iconHash, gif],
    ['guildSplash', splashHash, png],
    ['guildDiscoverySplash', discoverySplashHash, png],
    ['guildBanner', bannerHash, png],
  ] as const;
  for (const [kind, hash, image] of pictures) {
    const found = await simulated.platform.readImage({ kind, guildId, hash: hash ?? '' });
    expect([kind, found]).toEqual([kind, image]);
  }
  await guild.editSettings({ icon: null, description: null });
  expect((await guild.read()).settings).toMatchObject({ iconHash: null, description: null });
});
