import { z } from 'zod';
import { mimeOfFileName } from '../cdn/images.ts';
import { newChannel } from '../channel/fields.ts';
import { overwriteSchema } from '../channel/overwrites.ts';
import { permissionsField, snowflakeField } from '../http/read-body.ts';
import type { Identities } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';
import { communityFields, restoreCommunity, snapshotCommunity } from './community-snapshot.ts';
import type { Attachment } from './conversation.ts';
import type { Channel, Guild, Member, StoredImage } from './guild.ts';
import {
  ADMINISTRATOR_ACCESS,
  newEmoji,
  newGuild,
  newMember,
  newMessage,
  newRole,
  newSticker,
  newThread,
} from './new-guild.ts';
import { attachmentKey, type World } from './world.ts';

const userSchema = z.looseObject({
  id: snowflakeField,
  username: z.string().optional(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([]);
const withId = z.looseObject({ id: snowflakeField.optional() });

const tagSchema = z.looseObject({
  id: snowflakeField,
  name: z.string(),
  moderated: z.boolean().default(false),
  emoji_id: z.string().nullable().default(null),
  emoji_name: z.string().nullable().default(null),
});

/** A guild's whole state, as the control API reads and sets it. Missing parts are as on a new guild. */
export const snapshotSchema = z.object({
  guild: z.looseObject({ owner_id: snowflakeField.optional() }).default({}),
  botAccess: z
    .object({
      isMember: z.boolean().default(true),
      permissions: permissionsField.default(ADMINISTRATOR_ACCESS.permissions),
      rolePosition: z.int().min(0).nullable().default(null),
    })
    .optional(),
  roles: list(
    withId.extend({ name: z.string().default('role'), permissions: permissionsField.default('0') }),
  ),
  channels: list(
    withId.extend({
      name: z.string(),
      type: z.int().default(0),
      permission_overwrites: list(overwriteSchema),
      available_tags: z.array(tagSchema).optional(),
    }),
  ),
  emojis: list(withId.extend({ name: z.string() })),
  stickers: list(withId.extend({ name: z.string() })),
  bans: list(z.object({ user: userSchema, reason: z.string().nullish() })),
  expelledIds: list(snowflakeField),
  members: list(z.looseObject({ user: userSchema, roles: list(snowflakeField) })),
  threads: list(withId.extend({ parent_id: snowflakeField, name: z.string() })),
  /** An attachment may carry its bytes here; they are read back among the `images`. */
  messages: list(
    withId.extend({
      channel_id: snowflakeField,
      author: userSchema.optional(),
      attachments: list(withId.extend({ filename: z.string(), base64: z.string().optional() })),
    }),
  ),
  invites: list(z.looseObject({ code: z.string(), channel_id: snowflakeField })),
  webhooks: list(withId.extend({ channel_id: snowflakeField, name: z.string() })),
  ...communityFields,
  images: z.record(z.string(), z.object({ mime: z.string(), base64: z.string() })).default({}),
});

export type Snapshot = z.output<typeof snapshotSchema>;

export const snapshotGuild = (world: World, guild: Guild) => ({
  guild: { id: guild.id, ...guild.settings },
  botAccess: guild.botAccess,
  roles: [...guild.roles.values()],
  channels: [...guild.channels.values()],
  threads: [...guild.threads.values()],
  emojis: [...guild.emojis.values()],
  stickers: [...guild.stickers.values()],
  bans: [...guild.bans].map(([id, { reason }]) => ({ user: { id }, reason })),
  members: [...guild.members.values()].map(({ user_id, ...member }) => ({
    user: { id: user_id },
    ...member,
  })),
  expelledIds: [...guild.expelledIds],
  messages: [...guild.messages.values()].flatMap((messages) =>
    [...messages.values()].map(({ author_id, ...message }) => ({
      ...message,
      author: { id: author_id },
    })),
  ),
  invites: [...guild.invites.values()],
  webhooks: [...guild.webhooks.values()],
  ...snapshotCommunity(guild),
  images: imagesOf(world, guild),
});

/**
 * Values come from a test or from a file that this program wrote. Single fields are not validated: a
 * test may need a state that the API would refuse.
 */
export const restoreGuild = (
  world: World,
  identities: Identities,
  guildId: string,
  snapshot: Snapshot,
): Guild => {
  const nextId = world.nextId;
  const ownerId = snapshot.guild.owner_id ?? nextId();
  const guild = newGuild(guildId, ownerId, snapshot.botAccess ?? ADMINISTRATOR_ACCESS);
  const { id: _, ...settings } = snapshot.guild;
  Object.assign(guild.settings, settings);
  restoreRoles(guild, snapshot, nextId);
  restoreChannels(guild, snapshot, nextId);
  restoreMembersAndBans(guild, snapshot, identities);
  guild.expelledIds = new Set(snapshot.expelledIds);
  restoreThreads(guild, snapshot, nextId);
  restoreMessages(world, guild, snapshot);
  restoreExpressions(guild, snapshot, nextId);
  restoreInvitesAndWebhooks(guild, snapshot, nextId);
  restoreCommunity(guild, snapshot, nextId);
  dropDangling(guild);
  for (const [key, image] of Object.entries(snapshot.images)) world.images.set(key, image);
  world.putGuild(guild);
  return guild;
};

/** What goes with its channel is not kept without it. */
const dropDangling = (guild: Guild) => {
  const { channels, roles, onboarding, welcomeScreen } = guild;
  for (const part of [guild.webhooks, guild.invites, guild.events]) {
    for (const [id, { channel_id }] of part) {
      if (channel_id !== null && !channels.has(channel_id)) part.delete(id);
    }
  }
  for (const [id, { parent_id }] of guild.threads) {
    if (!channels.has(parent_id)) guild.threads.delete(id);
  }
  const inGuild = (id: string) => channels.has(id) || roles.has(id);
  onboarding.default_channel_ids = onboarding.default_channel_ids.filter(inGuild);
  for (const option of onboarding.prompts.flatMap(({ options }) => options)) {
    option.channel_ids = option.channel_ids.filter(inGuild);
    option.role_ids = option.role_ids.filter(inGuild);
  }
  welcomeScreen.welcome_channels = welcomeScreen.welcome_channels.filter(({ channel_id }) =>
    channels.has(channel_id),
  );
};

const restoreRoles = (guild: Guild, { roles }: Snapshot, nextId: () => string) => {
  for (const [index, { id = nextId(), name, ...fields }] of roles.entries()) {
    const position = id === guild.id ? 0 : index + 1;
    guild.roles.set(id, newRole(id, name, { position, ...fields }));
  }
};

const restoreChannels = (guild: Guild, { channels }: Snapshot, nextId: () => string) => {
  for (const [position, { id = nextId(), ...fields }] of channels.entries()) {
    const fresh = newChannel(id, guild.id, fields.type, fields.name);
    const channel: Channel = { ...fresh, position, ...fields, id, guild_id: guild.id };
    guild.channels.set(id, channel);
  }
};

const restoreMembersAndBans = (guild: Guild, snapshot: Snapshot, identities: Identities) => {
  const joinedAt = new Date().toISOString();
  for (const { user, ...fields } of snapshot.members) {
    putUser(identities, user);
    const member: Member = { ...newMember(user.id, joinedAt), ...fields, user_id: user.id };
    guild.members.set(user.id, member);
  }
  guild.memberOrder = [...guild.members.keys()].sort(compareSnowflakes);
  for (const { user, reason } of snapshot.bans) {
    putUser(identities, user);
    guild.bans.set(user.id, { reason: reason ?? null });
  }
};

const putUser = (identities: Identities, user: z.output<typeof userSchema>) => {
  if (user.username === undefined && user.bot === undefined) return;
  const names = { username: user.username, globalName: user.global_name ?? null };
  identities.putUser(user.id, {
    ...(user.username !== undefined && names),
    isBot: user.bot ?? false,
  });
};

const restoreThreads = (guild: Guild, { threads }: Snapshot, nextId: () => string) => {
  for (const { id = nextId(), ...fields } of threads) {
    const base = { owner_id: guild.settings.owner_id, ...fields };
    guild.threads.set(id, newThread({ ...base, id, guild_id: guild.id }));
  }
};

const restoreMessages = (world: World, guild: Guild, { messages }: Snapshot) => {
  for (const { id = world.nextId(), author, attachments, ...fields } of messages) {
    const author_id = author?.id ?? guild.settings.owner_id;
    const kept = attachments.map((one) => restoreAttachment(world, fields.channel_id, one));
    const message = newMessage({ author_id, ...fields, id, attachments: kept });
    const inChannel = guild.messages.get(message.channel_id) ?? new Map();
    guild.messages.set(message.channel_id, inChannel.set(id, message));
    const place = guild.threads.get(message.channel_id) ?? guild.channels.get(message.channel_id);
    if (place && isNewer(id, place.last_message_id)) place.last_message_id = id;
  }
};

const isNewer = (id: string, lastId: string | null | undefined): boolean =>
  !lastId || compareSnowflakes(id, lastId) > 0;

const restoreAttachment = (
  world: World,
  channelId: string,
  { id = world.nextId(), base64, ...fields }: Snapshot['messages'][number]['attachments'][number],
): Attachment => {
  const mime = mimeOfFileName(fields.filename);
  const size = base64 === undefined ? 0 : Buffer.byteLength(base64, 'base64');
  const attachment = { content_type: mime, size, ...fields, id };
  if (base64 !== undefined) {
    world.images.set(attachmentKey(channelId, attachment), { mime, base64 });
  }
  return attachment;
};

const restoreExpressions = (guild: Guild, snapshot: Snapshot, nextId: () => string) => {
  for (const { id = nextId(), ...fields } of snapshot.emojis) {
    guild.emojis.set(id, newEmoji({ ...fields, id }));
  }
  for (const { id = nextId(), ...fields } of snapshot.stickers) {
    guild.stickers.set(id, newSticker({ ...fields, id, guild_id: guild.id }));
  }
};

const restoreInvitesAndWebhooks = (guild: Guild, snapshot: Snapshot, nextId: () => string) => {
  const userId = guild.settings.owner_id;
  for (const invite of snapshot.invites) {
    guild.invites.set(invite.code, {
      ...{ inviter_id: userId, max_age: 0, max_uses: 0, temporary: false, uses: 0 },
      ...{ created_at: new Date().toISOString(), role_ids: [], target_user_ids: null },
      ...invite,
    });
  }
  for (const { id = nextId(), ...fields } of snapshot.webhooks) {
    const base = { type: 1, avatar: null, user_id: userId, application_id: null } as const;
    guild.webhooks.set(id, { ...base, token: `webhook-${id}`, ...fields, id });
  }
};

const imagesOf = (world: World, guild: Guild): Record<string, StoredImage> => {
  const { icon, splash, discovery_splash, banner } = guild.settings;
  const keys = [
    ...[...guild.emojis.keys()].map((id) => `emojis/${id}`),
    ...[...guild.stickers.keys()].map((id) => `stickers/${id}`),
    `icons/${guild.id}/${icon}`,
    `splashes/${guild.id}/${splash}`,
    `discovery-splashes/${guild.id}/${discovery_splash}`,
    `banners/${guild.id}/${banner}`,
    ...[...guild.webhooks.values()].map(({ id, avatar }) => `avatars/${id}/${avatar}`),
    ...[...guild.roles.values()].map(({ id, icon }) => `role-icons/${id}/${icon}`),
    ...[...guild.events.values()].map(({ id, image }) => `guild-events/${id}/${image}`),
    ...[...guild.soundboard.keys()].map((id) => `soundboard-sounds/${id}`),
    ...attachmentKeysOf(guild),
  ];
  return Object.fromEntries(
    keys.flatMap((key) => {
      const image = world.images.get(key);
      return image ? [[key, image]] : [];
    }),
  );
};

const attachmentKeysOf = (guild: Guild): string[] =>
  [...guild.messages.values()].flatMap((messages) =>
    [...messages.values()].flatMap(({ channel_id, attachments }) =>
      attachments.map((attachment) => attachmentKey(channel_id, attachment)),
    ),
  );
