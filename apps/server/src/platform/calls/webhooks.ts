import { z } from 'zod';
import { Secret } from '../../kernel/secret.ts';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { PartsPlatform } from '../parts-port.ts';
import { invite, webhook, webhookWithToken } from '../shapes/parts.ts';
import { inviteOf, webhookBodyOf, webhookOf } from '../translate/sounds-and-webhooks.ts';

type WebhookCalls = Pick<
  PartsPlatform,
  | 'readWebhooks'
  | 'createWebhook'
  | 'editWebhook'
  | 'deleteWebhook'
  | 'readWebhookAddresses'
  | 'readInvites'
>;

export const createWebhookCalls = (calls: GuildCalls): WebhookCalls => {
  const { guildId, call, send } = calls;
  const list = <Answer extends object>(answer: z.ZodType<Answer>) =>
    call({
      method: 'GET',
      path: path`guilds/${guildId}/webhooks`,
      answer: z.array(answer).nullable(),
    });
  return {
    readWebhooks: async () => ((await list(webhook)) ?? []).map(webhookOf),
    createWebhook: async ({ channelId, ...input }) =>
      call({
        method: 'POST',
        path: path`channels/${channelId}/webhooks`,
        body: webhookBodyOf(input),
        answer: z.object({ id: z.string() }),
      }),
    editWebhook: async (webhookId, { channelId, ...changes }) =>
      send({
        method: 'PATCH',
        path: path`webhooks/${webhookId}`,
        body: { ...webhookBodyOf(changes), channel_id: channelId },
      }),
    deleteWebhook: async (webhookId) =>
      send({ method: 'DELETE', path: path`webhooks/${webhookId}` }),
    async readWebhookAddresses() {
      const found = (await list(webhookWithToken)) ?? [];
      return new Map(
        found.flatMap(({ id, channel_id: channelId, token }) =>
          token && channelId ? [[id, { channelId, token: new Secret(token) }] as const] : [],
        ),
      );
    },
    async readInvites() {
      const endpoint = path`guilds/${guildId}/invites`;
      const answer = z.array(invite).nullable();
      return ((await call({ method: 'GET', path: endpoint, answer })) ?? []).map(inviteOf);
    },
  };
};
