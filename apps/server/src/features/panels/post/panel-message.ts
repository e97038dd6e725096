import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { LinkMessage, LinkMessagePlatform } from '../../../platform/link-message.ts';
import { pictureUrl } from '../../uploads/pictures/send-picture.ts';
import type { DuePanel } from '../queries/posting.ts';

/** The page that the button opens. */
export const urlOf = (baseUrl: string, { serverId }: DuePanel): string =>
  `${baseUrl}/verify/${serverId}`;

export const messageOf = (baseUrl: string, panel: DuePanel): LinkMessage => ({
  ...{ title: panel.title, text: panel.text, color: panel.color },
  imageUrl: panel.imageToken === null ? null : pictureUrl(baseUrl, panel.imageToken),
  button: { label: panel.buttonText, url: urlOf(baseUrl, panel) },
});

/** Where the platform refuses, the message is gone, or not ours to remove any more. */
export const removeMessage = async (
  guild: LinkMessagePlatform,
  channelId: string | null,
  messageId: string | null,
): Promise<void> => {
  if (channelId === null || messageId === null) return;
  await guild.deleteMessage(channelId, messageId).catch(ignoreRefusal);
};

export const ignoreRefusal = (error: unknown): undefined => {
  if (error instanceof PlatformFailure && !isPassing(error) && error.kind !== 'botTokenDead')
    return undefined;
  throw error;
};
