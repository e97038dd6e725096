import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { storeImage } from '../cdn/images.ts';
import { ChannelType } from '../channel/fields.ts';
import type { Webhook } from '../guild/conversation.ts';
import type { Channel, Guild } from '../guild/guild.ts';
import { computeGuildPermissions, Permission } from '../guild/permissions.ts';
import { removeWebhook } from '../guild/world.ts';
import { accessChannel, accessGuild, requireBot, requirePermissions } from '../http/access.ts';
import { ApiError, limitReached, unknownChannel } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import {
  findWebhook,
  findWebhookByToken,
  presentWebhook,
  type WebhookAccess,
  webhookNameField,
} from './webhooks.ts';

const MAX_WEBHOOKS_PER_CHANNEL = 15;

const avatar = z.string().nullish();
const newSchema = z.object({ name: webhookNameField, avatar });
const byTokenSchema = z.object({ name: webhookNameField.nullish(), avatar });
const editSchema = byTokenSchema.extend({ channel_id: snowflakeField.nullish() });

export const mountWebhookRoutes = (app: PlatformApp, platform: Platform) => {
  const presentAll = (c: PlatformContext, guild: Guild, webhooks: Iterable<Webhook>) =>
    [...webhooks].map((webhook) => presentWebhook(platform, c, { guild, webhook }));
  app.get('/guilds/:guild/webhooks', (c) => {
    const { guild } = accessGuild(platform, c, Permission.ManageWebhooks);
    return c.json(presentAll(c, guild, guild.webhooks.values()));
  });
  app.get('/channels/:channel/webhooks', (c) => {
    const { guild, channel } = accessChannel(platform, c, Permission.ManageWebhooks);
    return c.json(presentAll(c, guild, webhooksIn(guild, channel.id)));
  });
  app.post('/channels/:channel/webhooks', (c) => createWebhook(platform, c));
  app.get('/webhooks/:webhook', (c) =>
    c.json(presentWebhook(platform, c, accessWebhook(platform, c))),
  );
  app.patch('/webhooks/:webhook', async (c) => {
    const access = accessWebhook(platform, c);
    editWebhook(platform, c, access, await readBody(c, editSchema));
    return c.json(presentWebhook(platform, c, access));
  });
  app.delete('/webhooks/:webhook', (c) => deleteWebhook(platform, c, accessWebhook(platform, c)));
  app.get('/webhooks/:webhook/:token', (c) =>
    c.json(presentWebhook(platform, c, findWebhookByToken(platform, c), true)),
  );
  app.patch('/webhooks/:webhook/:token', async (c) => {
    const access = findWebhookByToken(platform, c);
    editWebhook(platform, c, access, await readBody(c, byTokenSchema));
    return c.json(presentWebhook(platform, c, access, true));
  });
  app.delete('/webhooks/:webhook/:token', (c) =>
    deleteWebhook(platform, c, findWebhookByToken(platform, c)),
  );
};

const createWebhook = async (platform: Platform, c: PlatformContext) => {
  const { world } = platform;
  const { guild, channel, bot } = accessChannel(platform, c, Permission.ManageWebhooks);
  const fields = await readBody(c, newSchema);
  requireRoom(guild, channel);
  const id = world.nextId();
  const webhook: Webhook = {
    id,
    type: 1,
    channel_id: channel.id,
    name: fields.name.trim(),
    avatar: fields.avatar ? storeImage(world, 'avatar', id, fields.avatar) : null,
    token: `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', ''),
    user_id: bot.id,
    application_id: bot.id,
  };
  const watched = watch(guild, ['webhooks', id]);
  guild.webhooks.set(webhook.id, webhook);
  world.indexId(webhook.id, guild);
  announce(platform, byCaller(c), watched);
  return c.json(presentWebhook(platform, c, { guild, webhook }));
};

const editWebhook = (
  platform: Platform,
  c: PlatformContext,
  { guild, webhook }: WebhookAccess,
  { name, avatar, channel_id }: Partial<z.output<typeof editSchema>>,
) => {
  const watched = watch(guild, ['webhooks', webhook.id]);
  if (channel_id && channel_id !== webhook.channel_id) {
    const channel = guild.channels.get(channel_id);
    if (!channel) throw unknownChannel();
    requireRoom(guild, channel);
    webhook.channel_id = channel_id;
  }
  webhook.name = name ?? webhook.name;
  if (avatar !== undefined) {
    webhook.avatar = avatar && storeImage(platform.world, 'avatar', webhook.id, avatar);
  }
  announce(platform, byCaller(c), watched);
};

const requireRoom = (guild: Guild, channel: Channel) => {
  if (channel.type === ChannelType.Category) {
    throw new ApiError(400, 50024, 'Cannot execute action on this channel type');
  }
  if (webhooksIn(guild, channel.id).length >= MAX_WEBHOOKS_PER_CHANNEL) {
    throw limitReached(30007, 'webhooks', MAX_WEBHOOKS_PER_CHANNEL);
  }
};

const deleteWebhook = (
  platform: Platform,
  c: PlatformContext,
  { guild, webhook }: WebhookAccess,
) => {
  const { world } = platform;
  const watched = watch(guild, ['webhooks', webhook.id]);
  removeWebhook(world, guild, webhook.id);
  announce(platform, byCaller(c), watched);
  world.images.delete(`avatars/${webhook.id}/${webhook.avatar}`);
  return c.body(null, 204);
};

const accessWebhook = (platform: Platform, c: PlatformContext): WebhookAccess => {
  const bot = requireBot(c);
  const found = findWebhook(platform, c);
  const self = found.guild.members.get(bot.id);
  const granted = self ? computeGuildPermissions(found.guild, self) : 0n;
  requirePermissions(granted, Permission.ManageWebhooks);
  return found;
};

const webhooksIn = (guild: Guild, channelId: string): Webhook[] =>
  [...guild.webhooks.values()].filter((webhook) => webhook.channel_id === channelId);
