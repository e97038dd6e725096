import type { FailureKind, PlatformFailure } from '../../platform/failures.ts';
import type { Channel } from '../../platform/guild.ts';

/** By which a panel uses an upload. */
export const pictureField = 'imageUploadId';

/** Categories have no messages, and forums only posts. */
const kindsWithoutMessages: readonly Channel['kind'][] = ['category', 'forum', 'media'];

/** Why a panel cannot be posted there; undefined where nothing speaks against it. */
export const channelProblem = (
  channelId: string,
  channels: readonly { id: string; type: Channel['kind'] }[],
): string | undefined => {
  const channel = channels.find(({ id }) => id === channelId);
  if (!channel) return 'Must be a channel of the guild';
  return kindsWithoutMessages.includes(channel.type)
    ? 'Must be a channel that holds messages'
    : undefined;
};

export const channelGone = 'The channel is not in the guild any more: choose another one';
export const triedAgain = 'The platform did not answer: the panel is posted as soon as it does';

const sentences: Partial<Record<FailureKind, string>> = {
  missingPermission:
    'The bot needs the permissions View Channel, Send Messages and Embed Links in this channel',
  noAccess: 'The bot cannot see this channel, or is not in the guild',
  unknownGuild: 'The platform does not know the guild, or the bot is not in it',
  unknownChannel: channelGone,
  botTokenDead: "The platform refuses the bot's token: give the bot a new one",
};

/** Why a panel could not be posted, for its owner. */
export const sentenceOf = ({ kind, detail }: PlatformFailure): string =>
  sentences[kind] ?? `The platform refused the message${detail === undefined ? '' : `: ${detail}`}`;
