import { formatCount, plural } from './format.ts';

type Did = { verb: string; one: string; many: string; label: string };
const did = (
  verb: string,
  one: string,
  { many = `${one}s`, label = `${verb} the ${one}` }: Partial<Did> = {},
): Did => ({ verb, one, many, label });

/** What has no number of its own: "changed the server settings 3 times". */
const didOften = (label: string): Did => ({ verb: label, one: '', many: '', label });

/** What somebody did, by the platform's audit log. */
const acts: Record<string, Did> = {
  automodChanged: did('changed', 'AutoMod rule'),
  automodCreated: did('created', 'AutoMod rule'),
  automodDeleted: did('deleted', 'AutoMod rule'),
  botAdded: did('added', 'bot'),
  channelChanged: did('changed', 'channel'),
  channelCreated: did('created', 'channel'),
  channelDeleted: did('deleted', 'channel'),
  emojiChanged: did('changed', 'emoji'),
  emojiCreated: did('created', 'emoji'),
  emojiDeleted: did('deleted', 'emoji'),
  eventChanged: did('changed', 'event'),
  eventCreated: did('created', 'event'),
  eventDeleted: did('deleted', 'event'),
  guildChanged: didOften('changed the server settings'),
  integrationChanged: did('changed', 'integration'),
  integrationCreated: did('added', 'integration'),
  integrationDeleted: did('removed', 'integration'),
  inviteCreated: did('created', 'invite'),
  inviteDeleted: did('deleted', 'invite'),
  memberBanned: did('banned', 'member', { label: 'banned' }),
  memberChanged: did('changed', 'member'),
  memberKicked: did('kicked', 'member', { label: 'kicked' }),
  memberRolesChanged: did('changed the roles of', 'member', { label: 'changed the roles of' }),
  memberUnbanned: did('unbanned', 'person', { many: 'people', label: 'unbanned' }),
  membersPruned: didOften('pruned inactive members'),
  messageDeleted: didOften('deleted messages of somebody'),
  messagesDeleted: didOften('deleted many messages at once'),
  onboardingChanged: didOften('changed the onboarding'),
  overwriteChanged: did('changed', 'channel permission', { label: 'changed permissions of' }),
  overwriteCreated: did('added', 'channel permission', { label: 'added permissions to' }),
  overwriteDeleted: did('removed', 'channel permission', { label: 'removed permissions from' }),
  roleChanged: did('changed', 'role'),
  roleCreated: did('created', 'role'),
  roleDeleted: did('deleted', 'role'),
  soundChanged: did('changed', 'sound'),
  soundCreated: did('created', 'sound'),
  soundDeleted: did('deleted', 'sound'),
  stickerChanged: did('changed', 'sticker'),
  stickerCreated: did('created', 'sticker'),
  stickerDeleted: did('deleted', 'sticker'),
  threadChanged: did('changed', 'thread'),
  threadCreated: did('created', 'thread'),
  threadDeleted: did('deleted', 'thread'),
  webhookChanged: did('changed', 'webhook'),
  webhookCreated: did('created', 'webhook'),
  webhookDeleted: did('deleted', 'webhook'),
};

const somethingElse = didOften('did something else');

/** "deleted 12 channels". */
export const actsText = (action: string, count: number): string => {
  const { verb, one, many } = acts[action] ?? somethingElse;
  if (one === '') return count === 1 ? verb : `${verb} ${formatCount(count)} times`;
  return `${verb} ${plural(count, one, many)}`;
};

/** "Deleted the channel", before its name. */
export const actLabel = (action: string): string =>
  capitalized((acts[action] ?? somethingElse).label);

/** "Deleted channels", as the choice of a filter. */
export const actChoice = (action: string): string => {
  const { verb, many } = acts[action] ?? somethingElse;
  return capitalized(`${verb} ${many}`.trim());
};

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether it was done to a person, whose name the audit log does not tell. */
export const isAboutPerson = (action: string): boolean =>
  action.startsWith('member') || action === 'botAdded';
