import type { describeAlert } from './describe-alert.ts';

type ChannelInput = ReturnType<typeof describeAlert> & { alertCount: number; baseUrl: string };

/** A message of the platform has at most 2,000 characters, and a mark may precede every one of ours. */
const longestText = 800;

/** Title, detail and link, in which no part of a name is markup, a mention or a link. */
export const channelText = (input: ChannelInput): string => {
  const { title, detail, href, alertCount, baseUrl } = input;
  const others = alertCount > 1 ? ` (the newest of ${alertCount})` : '';
  const text = `${title}${others}. ${detail}`;
  // Between angle brackets a link gets no preview.
  return `${escapeMarkdown(shorten(text))}\n<${baseUrl}${href}>`;
};

const shorten = (text: string): string => {
  const characters = [...text];
  return characters.length <= longestText
    ? text
    : `${characters.slice(0, longestText - 1).join('')}…`;
};

/** Before punctuation a backslash makes it plain: `*`, `@`, `<`, and the `:` of an address. */
const escapeMarkdown = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
