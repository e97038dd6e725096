import type { Input } from '@holdfast/sdk';
import type { Bot } from '../queries/records.ts';

export const botStatusLabels: Record<Bot['status'], string> = {
  ONLINE: 'Online',
  IDLE: 'Idle',
  DND: 'Do not disturb',
  INVISIBLE: 'Invisible',
  OFFLINE: 'Offline',
};

export const activityLabels: Record<Bot['activityType'], string> = {
  PLAYING: 'Playing',
  STREAMING: 'Streaming',
  LISTENING: 'Listening to',
  WATCHING: 'Watching',
  CUSTOM: 'Custom',
  COMPETING: 'Competing in',
};

/** The service never returns these: a field that is left empty keeps its value. */
const hiddenFields = ['publicKey', 'redirectUri', 'botToken', 'clientSecret'] as const;
const shownFields = ['name', 'clientId', 'activityText'] as const;
const choiceFields = ['status', 'activityType', 'isActive'] as const;

export type CredentialField = (typeof hiddenFields)[number] | 'name' | 'clientId';

export type BotValues = Record<(typeof hiddenFields | typeof shownFields)[number], string> &
  Pick<Bot, (typeof choiceFields)[number]>;

/** Only the fields that differ from the bot. */
export const changedBotFields = (
  bot: Bot,
  values: BotValues,
): NonNullable<Input<'updateBot'>['body']> => {
  const changed = [...shownFields, ...choiceFields].filter((field) => values[field] !== bot[field]);
  const typed = hiddenFields.filter((field) => values[field] !== '');
  return Object.fromEntries([...changed, ...typed].map((field) => [field, values[field]]));
};
