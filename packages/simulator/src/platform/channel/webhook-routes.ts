import { z } from 'zod';
import type { Guild, Webhook } from '../guild/guild.ts';
import { computeGuildPermissions, Permission } from '../guild/permissions.ts';
import { presentMessage, presentWebhook } from '../guild/present.ts';
import { removeWebhook } from '../guild/world.ts';
import { accessChannel, accessGuild, requireBot, requirePermissions } from '../http/access.ts';
import { ApiError, limitReached, unknownWebhook } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { messageSchema, writeMessage } from './message-routes.ts';

const MAX_WEBHOOKS_PER_CHANNEL = 15;

const newSchema = z.object({ name: z.string().min(1).max(80) });
const editSchema = z.object({
  name: z.string().min(1).max(80).optional(),
  channel_id: snowflakeField.optional(),
});
const executeSchema = messageSchema.extend({ username: z.string().max(80).optional() });

export const mountWebhookRoutes = (app: PlatformApp, platform: Platform) => {
  const presentAll = (guild: Guild, webhooks: Webhook[]) =>
    webhooks.map((webhook) => presentWebhook(platform.identities, guild, webhook));
  app.get('/guilds/:guild/webhooks', (c) => {
    const { guild } = accessGuild(platform, c, Permission.ManageWebhooks);
    return c.json(presentAll(guild, [...guild.webhooks.values()]));
  });
  app.get('/channels/:channel/webhooks', (c) => {
    const { guild, channel } = accessChannel(platform, c, Permission.ManageWebhooks);
    return c.json(presentAll(guild, webhooksIn(guild, channel.id)));
  });
  app.post('/channels/:channel/webhooks', (c) => createWebhook(platform, c));
  app.get('/webhooks/:webhook', (c) => {
    const { guild, webhook } = accessWebhook(platform, c);
    return c.json(presentWebhook(platform.identities, guild, webhook));
  });
  app.patch('/webhooks/:webhook', async (c) => {
    const { guild, webhook } = accessWebhook(platform, c);
    Object.assign(webhook, await readBody(c, editSchema));
    return c.json(presentWebhook(platform.identities, guild, webhook));
  });
  app.delete('/webhooks/:webhook', (c) => {
    const { guild, webhook } = accessWebhook(platform, c);
    removeWebhook(platform.world, guild, webhook.id);
    return c.body(null, 204);
  });
  app.post('/webhooks/:webhook/:token', (c) => executeWebhook(platform, c, c.req.param('token')));
};

const createWebhook = async (platform: Platform, c: PlatformContext) => {
  const { guild, channel, bot } = accessChannel(platform, c, Permission.ManageWebhooks);
  const { name } = await readBody(c, newSchema);
  if (webhooksIn(guild, channel.id).length >= MAX_WEBHOOKS_PER_CHANNEL) {
    throw limitReached(30007, 'webhooks', MAX_WEBHOOKS_PER_CHANNEL);
  }
  const webhook: Webhook = {
    id: platform.world.nextId(),
    type: 1,
    channel_id: channel.id,
    name,
    avatar: null,
    token: crypto.randomUUID().replaceAll('-', ''),
    user_id: bot.id,
  };
  guild.webhooks.set(webhook.id, webhook);
  platform.world.indexId(webhook.id, guild);
  return c.json(presentWebhook(platform.identities, guild, webhook));
};

/** Authenticated by the token in the path alone, without a bot. */
const executeWebhook = async (platform: Platform, c: PlatformContext, token: string) => {
  const { guild, webhook } = findWebhook(platform, c);
  if (webhook.token !== token) throw new ApiError(401, 50027, 'Invalid Webhook Token');
  const { username, ...fields } = await readBody(c, executeSchema);
  const message = writeMessage(platform.world, guild, webhook.channel_id, webhook.id, fields);
  message.webhook_id = webhook.id;
  message.webhook_name = username ?? webhook.name;
  if (c.req.query('wait') !== 'true') return c.body(null, 204);
  return c.json(presentMessage(platform.identities, message));
};

const accessWebhook = (platform: Platform, c: PlatformContext) => {
  const bot = requireBot(c);
  const found = findWebhook(platform, c);
  const self = found.guild.members.get(bot.id);
  const granted = self ? computeGuildPermissions(found.guild, self) : 0n;
  requirePermissions(granted, Permission.ManageWebhooks);
  return found;
};

const findWebhook = ({ world }: Platform, c: PlatformContext) => {
  const id = c.req.param('webhook') ?? '';
  const guild = world.guildOf(id);
  const webhook = guild?.webhooks.get(id);
  if (!guild || !webhook) throw unknownWebhook();
  return { guild, webhook };
};

const webhooksIn = (guild: Guild, channelId: string): Webhook[] =>
  [...guild.webhooks.values()].filter((webhook) => webhook.channel_id === channelId);
