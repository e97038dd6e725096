import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import { PlatformFailure } from '../failures.ts';
import type { LinkMessage, LinkMessagePlatform } from '../link-message.ts';
import { nonceOf } from './channels.ts';

const idOnly = z.object({ id: z.string() });

/**
 * A bot that may not embed links gets no error if its message has anything else: the platform writes the
 * message without the embed.
 */
const withEmbeds = z.object({ id: z.string(), embeds: z.array(z.unknown()) });
const withoutEmbed = () => new PlatformFailure('missingPermission');

/** Only what a button is found by; other components have other fields. */
const withButtons = z.object({
  id: z.string(),
  author: idOnly,
  components: z
    .array(z.object({ components: z.array(z.object({ url: z.string().optional() })).optional() }))
    .optional(),
});
const messagesPerPage = 100;
/** A channel with more messages than that in the minutes around a post is no place for one. */
const mostPages = 50;

export const createLinkMessageCalls = ({ call, send }: GuildCalls): LinkMessagePlatform => ({
  async postLinkMessage(channelId, { id, ...message }) {
    const posted = await call({
      method: 'POST',
      path: path`channels/${channelId}/messages`,
      body: { ...bodyOf(message), nonce: nonceOf(id), enforce_nonce: true },
      answer: withEmbeds,
    });
    if (posted.embeds.length > 0) return posted.id;
    await send({ method: 'DELETE', path: path`channels/${channelId}/messages/${posted.id}` });
    throw withoutEmbed();
  },
  async editLinkMessage(channelId, messageId, message) {
    const edited = await call({
      method: 'PATCH',
      path: path`channels/${channelId}/messages/${messageId}`,
      // Without flags: somebody may have hidden the embed.
      body: { ...bodyOf(message), flags: 0 },
      answer: withEmbeds,
    });
    if (edited.embeds.length === 0) throw withoutEmbed();
  },
  async readMessageId(channelId, messageId) {
    const read = {
      method: 'GET',
      path: path`channels/${channelId}/messages/${messageId}`,
    } as const;
    return (await call({ ...read, answer: idOnly })).id;
  },
  async findLinkMessages(channelId, { authorId, url, since }) {
    const isSought = ({ author, components = [] }: z.output<typeof withButtons>) =>
      author.id === authorId &&
      components.some((row) => row.components?.some((button) => button.url === url));
    const found: string[] = [];
    let after = firstIdAt(since);
    for (let page = 0; page < mostPages; page++) {
      // A page has the messages right after the id, the newest of them first.
      const messages = await call({
        method: 'GET',
        path: path`channels/${channelId}/messages`,
        query: { limit: String(messagesPerPage), after },
        answer: z.array(withButtons),
      });
      found.unshift(...messages.filter(isSought).map(({ id }) => id));
      after = messages[0]?.id ?? after;
      if (messages.length < messagesPerPage) break;
    }
    return found;
  },
  deleteMessage: async (channelId, messageId) =>
    send({ method: 'DELETE', path: path`channels/${channelId}/messages/${messageId}` }),
});

const bodyOf = ({ title, text, color, imageUrl, button: { label, url } }: LinkMessage) => ({
  embeds: [
    {
      ...{ title, color },
      ...(text !== '' && { description: text }),
      ...(imageUrl !== null && { image: { url: imageUrl } }),
    },
  ],
  components: [
    {
      type: ComponentType.ActionRow,
      components: [{ type: ComponentType.Button, style: ButtonStyle.Link, label, url }],
    },
  ],
  allowed_mentions: { parse: [] },
});

const platformEpochMs = 1_420_070_400_000;

/** Ids begin with the time, in milliseconds. */
const firstIdAt = (time: Date): string => {
  const sinceEpochMs = Math.max(0, time.getTime() - platformEpochMs);
  return (BigInt(sinceEpochMs) << 22n).toString();
};
