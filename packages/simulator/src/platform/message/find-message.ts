import type { Message } from '../guild/conversation.ts';
import type { MessagesAccess } from '../http/access.ts';
import { unknownMessage } from '../http/api-error.ts';
import type { PlatformContext } from '../platform.ts';

/** The message of the path. */
export const findMessage = ({ guild, placeId }: MessagesAccess, c: PlatformContext): Message => {
  const message = guild.messages.get(placeId)?.get(c.req.param('message') ?? '');
  if (!message) throw unknownMessage();
  return message;
};
