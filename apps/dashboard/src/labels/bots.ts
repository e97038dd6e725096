import type { Input } from '@holdfast/sdk/dashboard';
import type { Bot, BotSetup } from '../queries/records.ts';
import { plural } from './format.ts';

export const botStatusLabels: Record<Bot['status'], string> = {
  ONLINE: 'Online',
  IDLE: 'Idle',
  DND: 'Do not disturb',
  INVISIBLE: 'Invisible',
  OFFLINE: 'Offline',
};

const connectionLabels: Record<Bot['connection'], { label: string; color: string }> = {
  CONNECTED: { label: 'Connected', color: 'green' },
  CONNECTING: { label: 'Connecting', color: 'yellow' },
  REFUSED: { label: 'Refused', color: 'red' },
  OFF: { label: 'Off', color: 'red' },
};

type Checked = Pick<BotSetup, 'isPublicKeyGood'> & {
  state: { isRedirectSet: boolean; intents: { missing: unknown[] } } | null;
};

/** How much of the application is not set up on the platform; undefined where that is not known. */
export const thingsToDo = ({ state, isPublicKeyGood }: Checked): number | undefined =>
  state
    ? [state.isRedirectSet, state.intents.missing.length === 0, isPublicKeyGood].filter(
        (isDone) => !isDone,
      ).length
    : undefined;

/** Green only where nothing is left to do: a connected bot may still refuse every member. */
export const botBadge = (
  connection: Bot['connection'],
  toDo: number | undefined,
): { label: string; color: string } =>
  connection === 'CONNECTED' && toDo
    ? { label: `${plural(toDo, 'thing')} to do`, color: 'yellow' }
    : connectionLabels[connection];

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
