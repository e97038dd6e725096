import { z } from 'zod';
import type { Webhook } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { presentUser } from '../guild/present.ts';
import { ApiError, unknownWebhook } from '../http/api-error.ts';
import type { Platform, PlatformContext } from '../platform.ts';

const FORBIDDEN_WORDS = ['discord', 'clyde'];

/** Names that would pass for the platform's own are refused. */
export const webhookNameField = z
  .string()
  .min(1)
  .max(80)
  .superRefine((name, context) => {
    const word = FORBIDDEN_WORDS.find((one) => name.toLowerCase().includes(one));
    if (!word) return;
    context.addIssue({ code: 'custom', message: `Username cannot contain "${word}"` });
  });

export type WebhookAccess = { guild: Guild; webhook: Webhook };

export const findWebhook = ({ world }: Platform, c: PlatformContext): WebhookAccess => {
  const id = c.req.param('webhook') ?? '';
  const guild = world.guildOf(id);
  const webhook = guild?.webhooks.get(id);
  if (!guild || !webhook) throw unknownWebhook();
  return { guild, webhook };
};

/** Authenticated by the token in the path alone, without a bot. */
export const findWebhookByToken = (platform: Platform, c: PlatformContext): WebhookAccess => {
  const access = findWebhook(platform, c);
  if (access.webhook.token !== c.req.param('token')) {
    throw new ApiError(401, 50027, 'Invalid Webhook Token');
  }
  return access;
};

/** Who comes with the token sees no user. The token of another bot's webhook is not shown. */
export const presentWebhook = (
  { identities }: Platform,
  c: PlatformContext,
  { guild, webhook }: WebhookAccess,
  isByToken = false,
) => {
  const { user_id, token, ...fields } = webhook;
  const { application_id } = fields;
  const isShown = isByToken || application_id === null || application_id === c.get('bot')?.id;
  const url = `${new URL(c.req.url).origin}/api/webhooks/${webhook.id}/${token}`;
  return {
    ...fields,
    guild_id: guild.id,
    ...(isShown && { token, url }),
    ...(!isByToken && { user: presentUser(identities, user_id) }),
  };
};
