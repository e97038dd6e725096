import { z } from 'zod';
import { demandPermissions, openChannel, openGuild } from './access.ts';
import { ApiError, limitReached, unauthorized, unknownWebhook } from './api-error.ts';
import type { Guild, Webhook } from './guild-state.ts';
import { messageSchema, writeMessage } from './message-routes.ts';
import { computeGuildPermissions, Permission } from './permissions.ts';
import type { Platform, PlatformApp, PlatformContext } from './platform.ts';
import { presentMessage, presentWebhook } from './present.ts';
import { readBody, snowflakeField } from './read-body.ts';
import { removeWebhook } from './world.ts';

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
    const { guild } = openGuild(platform, c, Permission.ManageWebhooks);
    return c.json(presentAll(guild, [...guild.webhooks.values()]));
  });
  app.get('/channels/:channel/webhooks', (c) => {
    const { guild, channel } = openChannel(platform, c, Permission.ManageWebhooks);
    return c.json(presentAll(guild, webhooksIn(guild, channel.id)));
  });
  app.post('/channels/:channel/webhooks', (c) => createWebhook(platform, c));
  app.get('/webhooks/:webhook', (c) => {
    const { guild, webhook } = openWebhook(platform, c);
    return c.json(presentWebhook(platform.identities, guild, webhook));
  });
  app.patch('/webhooks/:webhook', async (c) => {
    const { guild, webhook } = openWebhook(platform, c);
    Object.assign(webhook, await readBody(c, editSchema));
    return c.json(presentWebhook(platform.identities, guild, webhook));
  });
  app.delete('/webhooks/:webhook', (c) => {
    const { guild, webhook } = openWebhook(platform, c);
    removeWebhook(platform.world, guild, webhook.id);
    return c.body(null, 204);
  });
  app.post('/webhooks/:webhook/:token', (c) => executeWebhook(platform, c, c.req.param('token')));
};

const createWebhook = async (platform: Platform, c: PlatformContext) => {
  const { guild, channel, bot } = openChannel(platform, c, Permission.ManageWebhooks);
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
  platform.world.house(webhook.id, guild);
  return c.json(presentWebhook(platform.identities, guild, webhook));
};

/** The token in the path is the whole proof: no bot is asked for. */
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

const openWebhook = (platform: Platform, c: PlatformContext) => {
  const bot = c.get('bot');
  if (!bot) throw unauthorized();
  const found = findWebhook(platform, c);
  const self = found.guild.members.get(bot.id);
  const granted = self ? computeGuildPermissions(found.guild, self) : 0n;
  demandPermissions(granted, Permission.ManageWebhooks);
  return found;
};

const findWebhook = ({ world }: Platform, c: PlatformContext) => {
  const id = c.req.param('webhook') ?? '';
  const guild = world.homeOf(id);
  const webhook = guild?.webhooks.get(id);
  if (!guild || !webhook) throw unknownWebhook();
  return { guild, webhook };
};

const webhooksIn = (guild: Guild, channelId: string): Webhook[] =>
  [...guild.webhooks.values()].filter((webhook) => webhook.channel_id === channelId);
