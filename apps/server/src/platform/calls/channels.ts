import { mapInTurns } from '../../kernel/turns.ts';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { Overwrite } from '../guild.ts';
import type { GuildPlatform } from '../port.ts';
import { guildChannel, guildChannels } from '../shapes/channel.ts';
import { activityOf, channelOf } from '../translate/channel.ts';
import { channelBodyOf, newChannelBodyOf } from '../translate/channel-body.ts';
import { overwriteBodyOf } from '../translate/role.ts';

type ChannelCalls = Pick<
  GuildPlatform,
  | 'readChannels'
  | 'readChannelsWithActivity'
  | 'createChannel'
  | 'editChannel'
  | 'placeChannels'
  | 'deleteChannel'
  | 'setOverwrite'
  | 'giveOverwrite'
>;

export const createChannelCalls = ({ guildId, call, send }: GuildCalls): ChannelCalls => {
  const list = () =>
    call({
      ...{ method: 'GET', path: path`guilds/${guildId}/channels` },
      ...{ answer: guildChannels, isLong: true },
    });
  const setOverwrite = async (channelId: string, overwrite: Overwrite): Promise<void> => {
    const { id, ...body } = overwriteBodyOf(overwrite);
    await send({ method: 'PUT', path: path`channels/${channelId}/permissions/${id}`, body });
  };
  return {
    setOverwrite,
    giveOverwrite: setOverwrite,
    async readChannels() {
      return mapInTurns(await list(), channelOf);
    },
    async readChannelsWithActivity() {
      const listed = await list();
      const activity = new Map(listed.map((one) => [one.id, activityOf(one)]));
      return { channels: await mapInTurns(listed, channelOf), activity };
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
    deleteChannel: async (channelId) =>
      send({ method: 'DELETE', path: path`channels/${channelId}` }),
  };
};

export const createMessageCalls = ({ send }: GuildCalls): Pick<GuildPlatform, 'sendMessage'> => ({
  sendMessage: async (channelId, { id, text }) =>
    send({
      method: 'POST',
      path: path`channels/${channelId}/messages`,
      body: {
        ...{ content: text, allowed_mentions: { parse: [] } },
        ...(id !== undefined && { nonce: nonceOf(id), enforce_nonce: true }),
      },
    }),
});

/** The platform takes at most 25 characters; these hold the random part of an id. */
export const nonceOf = (id: string): string => id.replaceAll('-', '').slice(-25);
