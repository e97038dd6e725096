import type { Message } from '../../../platform/conversation.ts';

/**
 * The lines that a restore adds to a message which it posts again: when and by whom it was written, and
 * what it answered. A later backup reads them back, so that a reposted message still belongs to its
 * author: otherwise the author's erasure would not find it under the id of the webhook that posted it.
 */

const profileUrl = 'https://discord.com/users/';
const profile = (userId: string): string => `<${profileUrl}${userId}>`;

/** Small print with the time as each reader's own, and a link to the author. */
export const originLine = ({ sentAt, authorId }: Pick<Message, 'sentAt' | 'authorId'>): string =>
  `-# <t:${secondsOf(sentAt)}:f> · [author](${profile(authorId)})`;

const longestName = 80;

export const quoteLine = ({
  authorId,
  authorName,
  excerpt,
}: NonNullable<Message['replyTo']>): string =>
  `> **[${authorName.slice(0, longestName).replace(/[[\]]/g, '')}](${profile(authorId)}):** ${excerpt}`;

export const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

const origin =
  /(?:^|\n)-# <t:(\d{1,12}):f> · \[author\]\(<https:\/\/discord\.com\/users\/(\d{1,20})>\)[^\n]*$/;
const quotation =
  /^> \*\*\[([^\]]*)\]\(<https:\/\/discord\.com\/users\/(\d{1,20})>\):\*\* ([^\n]*)(?:\n|$)/;

/** The second at which a reposted message was first sent; undefined for any other message. */
export const originSeconds = (content: string): number | undefined => {
  const [, seconds] = origin.exec(content) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
};

/** A message that a restore posted, as it was before; any other stays what it is. */
export const asOriginal = <Read extends Message & { webhookId: string | null }>(
  message: Read,
): Read => {
  const [line, seconds, authorId] = origin.exec(message.content) ?? [];
  if (message.webhookId === null || line === undefined || !authorId) return message;
  const rest = message.content.slice(0, message.content.length - line.length);
  const [quoted, authorName = '', quotedId, excerpt = ''] = quotation.exec(rest) ?? [];
  const text = quoted === undefined ? rest : rest.slice(quoted.length);
  return {
    ...message,
    ...withTextOfEmbed(text, message.embeds),
    authorId,
    authorAvatarHash: null,
    sentAt: new Date(Number(seconds) * 1000).toISOString(),
    replyTo: quotedId ? { messageId: '0', authorId: quotedId, authorName, excerpt } : null,
  };
};

/** A text that was too long for a post stands in an embed of its own. */
const withTextOfEmbed = (
  text: string,
  [first, ...others]: Message['embeds'],
): Pick<Message, 'content' | 'embeds'> => {
  const isText = first !== undefined && Object.keys(first).join() === 'description';
  if (text !== '' || !isText) return { content: text, embeds: first ? [first, ...others] : others };
  return { content: String(first.description), embeds: others };
};
