import { z } from 'zod';
import { path } from '../path.ts';
import type { GuildPlatform } from '../port.ts';
import { guildChannel, guildChannels } from '../shapes/channel.ts';
import { message } from '../shapes/message.ts';
import { channelOf } from '../translate/channel.ts';
import { channelBodyOf, newChannelBodyOf } from '../translate/channel-body.ts';
import { messageOf } from '../translate/people.ts';
import type { GuildCalls } from './guild-calls.ts';

type ChannelVerbs = Pick<
  GuildPlatform,
  'readChannels' | 'createChannel' | 'editChannel' | 'placeChannels' | 'deleteChannel'
>;

export const createChannelVerbs = ({ guildId, call }: GuildCalls): ChannelVerbs => ({
  async readChannels() {
    const answer = guildChannels;
    const listed = await call({ method: 'GET', path: path`guilds/${guildId}/channels`, answer });
    return listed.map(channelOf);
  },
  async createChannel(wish) {
    const made = await call({
      method: 'POST',
      path: path`guilds/${guildId}/channels`,
      body: newChannelBodyOf(wish),
      answer: guildChannel,
    });
    return channelOf(made);
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
  async placeChannels(places) {
    await call({
      method: 'PATCH',
      path: path`guilds/${guildId}/channels`,
      body: places.map(({ id, position, parentId }) => ({ id, position, parent_id: parentId })),
      answer: z.unknown(),
    });
  },
  async deleteChannel(channelId) {
    await call({ method: 'DELETE', path: path`channels/${channelId}`, answer: z.unknown() });
  },
});

type MessageVerbs = Pick<GuildPlatform, 'readMessages' | 'sendMessage'>;

export const createMessageVerbs = ({ call }: GuildCalls): MessageVerbs => ({
  async readMessages(channelId, { before, limit }) {
    const messages = await call({
      method: 'GET',
      path: path`channels/${channelId}/messages`,
      query: { limit: String(limit), ...(before && { before }) },
      answer: z.array(message),
    });
    return messages.map(messageOf);
  },
  async sendMessage(channelId, text) {
    await call({
      method: 'POST',
      path: path`channels/${channelId}/messages`,
      body: { content: text, allowed_mentions: { parse: [] } },
      answer: z.unknown(),
    });
  },
});
