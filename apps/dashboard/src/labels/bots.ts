import type { Input } from '@holdfast/sdk';
import type { Bot } from '../queries/records.ts';

export const botStatusLabels: Record<Bot['status'], string> = {
  ONLINE: 'Online',
  IDLE: 'Idle',
  DND: 'Do not disturb',
  INVISIBLE: 'Invisible',
  OFFLINE: 'Offline',
};

export const connectionLabels: Record<Bot['connection'], { label: string; color: string }> = {
  CONNECTED: { label: 'connected', color: 'green' },
  CONNECTING: { label: 'connecting', color: 'yellow' },
  REFUSED: { label: 'refused', color: 'red' },
  OFF: { label: 'off', color: 'red' },
};

export const activityLabels: Record<Bot['activityType'], string> = {
  PLAYING: 'Playing',
  STREAMING: 'Streaming',
  LISTENING: 'Listening to',
  WATCHING: 'Watching',
  CUSTOM: 'Custom',
  COMPETING: 'Competing in',
};

/** The switches of an application, by their names on the platform. */
export const intentLabels: Record<Bot['intents']['missing'][number], string> = {
  GUILD_MEMBERS: 'Server Members Intent: without it, members are not backed up',
  GUILD_PRESENCES: 'Presence Intent',
  MESSAGE_CONTENT: 'Message Content Intent: without it, messages are not backed up',
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
