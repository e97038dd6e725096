import { formatCount, plural } from '../../labels/format.ts';
import type { BackupRecord, RestorePlan } from '../../queries/records.ts';

/** One and many of each type of a plan; other types are counted together. */
const words: Record<string, [one: string, many: string]> = {
  channel: ['channel', 'channels'],
  role: ['role', 'roles'],
  emoji: ['emoji', 'emojis'],
  sticker: ['sticker', 'stickers'],
  sound: ['sound', 'sounds'],
  automod: ['AutoMod rule', 'AutoMod rules'],
  event: ['event', 'events'],
  webhook: ['webhook', 'webhooks'],
  ban: ['ban', 'bans'],
  member: ['member’s roles', 'members’ roles'],
};
const others: [string, string] = ['other part', 'other parts'];

/** "3 channels, 2 roles and 1 emoji". */
const countByType = (things: readonly { type: string }[]): string => {
  const groups = Map.groupBy(things, ({ type }) => (words[type] ? type : ''));
  const order = [...Object.keys(words), ''];
  return joinWords(order.flatMap((type) => countWords(groups.get(type)?.length ?? 0, type)));
};

const countWords = (count: number, type: string): string[] =>
  count > 0 ? [plural(count, ...(words[type] ?? others))] : [];

/** What a backup has, in a few words. */
export const describeContents = ({ counts }: Pick<BackupRecord, 'counts'>): string => {
  const { channels, roles, emojis, stickers, ...rest } = counts;
  const hasMore = Object.values(rest).some((count) => count > 0);
  return joinWords([
    ...countWords(channels, 'channel'),
    ...countWords(roles, 'role'),
    ...countWords(emojis, 'emoji'),
    ...countWords(stickers, 'sticker'),
    ...(hasMore ? ['everything else of the backup'] : []),
  ]);
};

const joinWords = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;

/** What a plan does, in a few sentences. */
export const describePlan = (plan: Pick<RestorePlan, 'create' | 'update' | 'delete' | 'keep'>) =>
  [
    plan.create.length > 0 && `Missing, and created again: ${countByType(plan.create)}.`,
    plan.update.length > 0 && `Changed, and set back: ${countByType(plan.update)}.`,
    plan.delete.length > 0
      ? `Not in the backup, and deleted: ${countByType(plan.delete)}.`
      : 'Nothing is deleted.',
    plan.keep > 0 &&
      `As in the backup, and left alone: ${formatCount(plan.keep)} in all. Messages in kept channels stay.`,
  ].filter((sentence) => sentence !== false);
