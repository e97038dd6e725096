import { useQuery } from '@tanstack/react-query';
import { errorMessage } from '../../labels/errors.ts';
import { guildQuery, useServer } from '../../queries/servers.ts';

type ChannelChoices = {
  /** Undefined while the platform is being asked, null where it did not answer. */
  choices: Channel[] | null | undefined;
  /** The only one beside the channel for reports. */
  only?: Channel;
  problem: string | undefined;
};

type Channel = { id: string; name: string; isPrivate: boolean };

const kindsWithMessages = ['text', 'announcement'];

/** The channels that a panel can be posted to. */
export const useChannels = (): ChannelChoices => {
  const { id, health, logChannelId } = useServer();
  const isLost = health === 'LOST';
  const { data: guild, error } = useQuery({ ...guildQuery(id), enabled: !isLost });
  if (isLost) return { choices: null, problem: 'The bot is not in the server.' };
  if (guild) {
    const suitable = guild.channels.filter(({ type }) => kindsWithMessages.includes(type));
    const choices = suitable.map(named);
    const others = choices.filter((channel) => channel.id !== logChannelId);
    return { choices, only: others.length === 1 ? others[0] : undefined, problem: undefined };
  }
  return error
    ? { choices: null, problem: errorMessage(error) }
    : { choices: undefined, problem: undefined };
};

const named = ({ id, name, isPrivate }: Channel): Channel => ({
  ...{ id, isPrivate },
  name: `#${name}`,
});

/** "#welcome". */
export const useChannelName = (channelId: string): string => {
  const { id } = useServer();
  const { data: guild, isPending } = useQuery(guildQuery(id));
  const channel = guild?.channels.find(({ id: one }) => one === channelId);
  if (channel) return `#${channel.name}`;
  if (isPending) return '…';
  return guild ? 'A channel that is gone' : 'A channel';
};
