import { walkPlainData } from '../../../kernel/plain-data.ts';
import type { Post } from '../../../platform/conversation.ts';
import { originLine, quoteLine } from '../../backups/snapshot/reposted.ts';
import type { StoredMessage } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';

/**
 * How a message of a backup reads when a webhook posts it again: under its author's name, as one post.
 * A small last line has the time at which it was sent, in the reader's own time zone, and names what
 * could not come back. The message that it answered is quoted in a first line.
 */

const longestContent = 2000;
const longestEmbedText = 4096;
/** Of all embeds of a post together. */
const longestEmbeds = 6000;
const maxEmbeds = 10;

type RenderedMessage = Pick<Post, 'content' | 'username' | 'embeds'>;

/** `unsentFiles` are the names of files that are not posted with it. */
export const renderMessage = (
  message: StoredMessage,
  idMap: IdMap,
  unsentFiles: readonly string[],
): RenderedMessage => {
  const text = mapIds(message.content.trim(), idMap);
  const quotation = message.replyTo && mapIds(quoteLine(message.replyTo), idMap);
  const join = (...lines: (string | null)[]) => lines.filter(Boolean).join('\n');
  const content = join(quotation, text, lastLine(message, unsentFiles));
  const username = nameForWebhook(message.authorName);
  if (content.length <= longestContent) return { content, username, embeds: fit(message.embeds) };
  // Too long for a post with its lines: the text goes into an embed.
  const embed = { description: text.slice(0, longestEmbedText) };
  const lines = join(quotation, lastLine(message, unsentFiles));
  return { content: lines, username, embeds: fit([embed, ...message.embeds]) };
};

/** Without its embeds, for a platform that does not take them. */
export const renderPlain = (rendered: RenderedMessage, message: StoredMessage): RenderedMessage => {
  const own = rendered.embeds.filter((embed) => !message.embeds.includes(embed));
  return { ...rendered, embeds: own };
};

const longestLine = 500;

const lastLine = (message: StoredMessage, unsent: readonly string[]): string => {
  const notes = [
    originLine(message),
    ...(message.editedAt === null ? [] : ['edited']),
    ...message.stickerNames.map((name) => `sticker ${name}`),
    ...unsent.map((name) => `file ${name} is not kept`),
  ];
  return notes.join(' · ').replaceAll('\n', ' ').slice(0, longestLine);
};

/** Roles, channels and emojis that a text names are those of the restored guild. */
const mapIds = (text: string, { roles, channels, emojis }: IdMap): string =>
  text
    .replace(/<@&(\d+)>/g, (whole, id: string) => (roles[id] ? `<@&${roles[id]}>` : whole))
    .replace(/<#(\d+)>/g, (whole, id: string) => (channels[id] ? `<#${channels[id]}>` : whole))
    .replace(/<(a?:\w+:)(\d+)>/g, (whole, name: string, id: string) =>
      emojis[id] ? `<${name}${emojis[id]}>` : whole,
    );

type Embeds = StoredMessage['embeds'];

const fit = (embeds: Embeds): Embeds => {
  let left = longestEmbeds;
  return embeds.slice(0, maxEmbeds).filter((embed) => {
    const size = lengthOfTexts(embed);
    if (size > left) return false;
    left -= size;
    return true;
  });
};

/** More than the platform counts, which leaves addresses out. */
const lengthOfTexts = (root: unknown): number => {
  let length = 0;
  walkPlainData(root, (value) => {
    if (typeof value === 'string') length += value.length;
    return true;
  });
  return length;
};

const longestName = 80;

/** Characters that a name may not hold, and ones that look like them. */
const lookalikes: Record<string, string> = { '@': '＠', '#': '＃', ':': '：', '`': 'ˋ' };

/** The platform refuses some words in the names of webhooks. */
const nameForWebhook = (name: string): string => {
  const allowed = name
    .toWellFormed()
    .replace(/[@#:`]/g, (character) => lookalikes[character] ?? '')
    .replace(/discord/gi, (word) => `${word.slice(0, 4)}*${word.slice(5)}`)
    .replace(/clyde/gi, (word) => `${word.slice(0, 2)}*${word.slice(3)}`)
    .trim();
  const fitting = allowed.slice(0, longestName).toWellFormed();
  return /^(everyone|here|)$/i.test(fitting) ? `${fitting || 'unknown'}.` : fitting;
};
