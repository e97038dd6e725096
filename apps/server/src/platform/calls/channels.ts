import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { GuildPlatform } from '../port.ts';
import { guildChannel, guildChannels } from '../shapes/channel.ts';
import { message } from '../shapes/people.ts';
import { channelOf } from '../translate/channel.ts';
import { channelBodyOf, newChannelBodyOf } from '../translate/channel-body.ts';
import { messageOf } from '../translate/people.ts';

type ChannelCalls = Pick<
  GuildPlatform,
  'readChannels' | 'createChannel' | 'editChannel' | 'placeChannels' | 'deleteChannel'
>;

export const createChannelCalls = ({ guildId, call, send }: GuildCalls): ChannelCalls => ({
  async readChannels() {
    const answer = guildChannels;
    const listed = await call({ method: 'GET', path: path`guilds/${guildId}/channels`, answer });
    return listed.map(channelOf);
  },
  async createChannel(input) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/channels`,
      body: newChannelBodyOf(input),
      answer: guildChannel,
    });
    return channelOf(created);
  },
  async editChannel(channelId, changes) {
    const edited = await call({
      method: 'PATCH',
      path: path`channels/${channelId}`,
      body: channelBodyOf(changes),
      answer: guildChannel,
    });
    return channelOf(edited);
  },
  placeChannels: async (places) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/channels`,
      body: places.map(({ id, position, parentId }) => ({ id, position, parent_id: parentId })),
    }),
  deleteChannel: async (channelId) => send({ method: 'DELETE', path: path`channels/${channelId}` }),
});

type MessageCalls = Pick<GuildPlatform, 'readMessages' | 'sendMessage'>;

export const createMessageCalls = ({ call, send }: GuildCalls): MessageCalls => ({
  async readMessages(channelId, { before, limit }) {
    const messages = await call({
      method: 'GET',
      path: path`channels/${channelId}/messages`,
      query: { limit: String(limit), ...(before && { before }) },
      answer: z.array(message),
    });
    return messages.map(messageOf);
  },
  sendMessage: async (channelId, text) =>
    send({
      method: 'POST',
      path: path`channels/${channelId}/messages`,
      body: { content: text, allowed_mentions: { parse: [] } },
    }),
});
