import { describeLost, type LostCode } from '../undo/treatments.ts';
import type { ProtectiveLevel } from './keep-protection.ts';

/** What the owner should know, though nothing is lost by it. Stored as codes; the sentence is for people. */
export type Note =
  /** A role of a bot or an integration that is not in the target. */
  | { code: 'managedRoleMissing'; name: string }
  /** What goes with the channels that are deleted, and that no backup brings back. */
  | {
      code: 'deletedWithChannels';
      channels: number;
      /** How many of the webhooks are there, and of the invites; absent where that is not known. */
      webhooks?: number;
      invites?: number;
      hasWidget?: boolean;
    }
  /** The backup is older than permissions that were part of others then. */
  | { code: 'olderThanPermissions'; permissions: string[] }
  /** The platform takes no event that has begun. */
  | { code: 'eventPast'; name: string }
  /** It repeats a channel of another guild, or belongs to an application. */
  | { code: 'webhookNotMade'; name: string }
  /** Of a template: it would have lowered these. */
  | { code: 'protectionKept'; levels: ProtectiveLevel[] }
  /** No API sets these. */
  | { code: 'vanityNotSet'; name: string }
  | { code: 'invitesNotMade'; name: string }
  /** Of an undo: an attacker made it, and others have edited it since. */
  | { code: 'deletedThoughEdited'; name: string }
  /** Of an undo: no restore brings people back. `reachable` is how many of them a pull can add. */
  | { code: 'peopleRemoved'; count: number; reachable?: number }
  | { code: 'botsAdded'; count: number }
  /** Of an undo: somebody has made it again since, so that it stays as it is. */
  | { code: 'madeByHand'; name: string }
  /** Of an undo: who moved these is not known. */
  | { code: 'movedBack'; channels: number; roles: number; backedUpAt: string }
  /** Of an undo: nothing is known of what was done then, so what the backup has is given to nobody. */
  | { code: 'historyUnknown'; from: string; until: string }
  | {
      code: 'withheld';
      what: 'permissions' | 'access' | 'holders' | 'options' | 'exemptions';
      name: string;
      /** How many people had the role. */
      count?: number;
    }
  /** Of an undo: newcomers would give themselves power. */
  | { code: 'optionWithoutRole'; option: string; role: string }
  /** Of an undo: what attackers did and no API, or no backup, can take back. */
  | { code: 'notBroughtBack'; what: LostCode };

/** `isDone`: told of a restore that is over, no longer of a plan. */
export const describeNote = (note: Note, isDone = false): string => {
  switch (note.code) {
    case 'managedRoleMissing':
      return `Role ${note.name} belongs to a bot or an integration: it returns when you invite the bot or connect the integration again.`;
    case 'deletedWithChannels':
      return describeDeleted(note, isDone);
    case 'olderThanPermissions':
      return `This backup is older than the permissions ${note.permissions.join(', ')}: it does not say who has them, so roles and channels come back without them.`;
    case 'eventPast':
      return `Event ${note.name} has begun or is over: it stays in the backup and is not made again.`;
    case 'webhookNotMade':
      return `Webhook ${note.name} repeats a channel of another server or belongs to an application: follow the channel or set the application up again.`;
    case 'protectionKept':
      return `A template lowers no protection, so ${enumerate(note.levels.map((level) => levelNames[level]))} of this server ${note.levels.length === 1 ? 'stays as it is' : 'stay as they are'}.`;
    case 'vanityNotSet':
      return `The vanity address ${note.name} is not set by a restore: set it in the server's settings.`;
    case 'invitesNotMade':
      return `Invites of the backup (${note.name}) are not made again, since each gets a new address: make new ones.`;
    case 'deletedThoughEdited':
      return `An attacker made ${note.name}, so it is deleted, though others have edited it since.`;
    case 'peopleRemoved':
      return describeRemoved(note);
    case 'botsAdded':
      return `${count(note.count, 'bot')} that attackers added may still be in the server: remove what you do not know.`;
    case 'madeByHand':
      return `Somebody has made ${note.name} again since: it stays as they made it.`;
    case 'movedBack':
      return describeMoved(note);
    case 'notBroughtBack':
      return describeLost(note.what);
    case 'historyUnknown':
      return `The audit log does not tell everything that was changed between ${note.from} and ${note.until}, and who lost something then must not get it back: what is listed below is in the backup and is given to nobody. Give it back by hand where it is still right.`;
    case 'withheld':
      return describeWithheld(note);
    case 'optionWithoutRole':
      return `The onboarding option ${note.option} does not give the role ${note.role}, because this role has dangerous permissions now.`;
  }
};

const levelNames: Record<ProtectiveLevel, string> = {
  verificationLevel: 'the verification level',
  explicitContentFilter: 'the content filter',
};

const describeWithheld = (note: Extract<Note, { code: 'withheld' }>): string => {
  const { name } = note;
  switch (note.what) {
    case 'permissions':
      return `Role ${name} comes back without permissions.`;
    case 'access':
      return `Nobody gets access to channel ${name} by the backup.`;
    case 'holders':
      return `Role ${name} is not given to ${count(note.count ?? 0, 'member')} who had it.`;
    case 'options':
      return `The onboarding option ${name} comes back without roles that give something.`;
    case 'exemptions':
      return `The AutoMod rule ${name} comes back without exemptions that were lost.`;
  }
};

const describeMoved = ({
  channels,
  roles,
  backedUpAt,
}: Extract<Note, { code: 'movedBack' }>): string => {
  const what = [...countSome(channels, 'channel'), ...countSome(roles, 'role')].join(' and ');
  return `While the attackers were at work, ${what} changed, of which the platform does not say who moved them: those that stand elsewhere than before, by the backup of ${backedUpAt} and moves heard since, go back there, unless somebody has moved them after the attack.`;
};

const describeRemoved = ({
  count: removed,
  reachable,
}: Extract<Note, { code: 'peopleRemoved' }>): string => {
  const told = removed === 1 ? '1 person was' : `${removed} people were`;
  const pull = reachable === undefined ? '' : `; a pull can add ${reachable} of them`;
  return `${told} kicked or banned and cannot be brought back by a restore${pull}.`;
};

const describeDeleted = (
  {
    channels,
    webhooks,
    invites,
    hasWidget = false,
  }: Extract<Note, { code: 'deletedWithChannels' }>,
  isDone: boolean,
): string => {
  const isOne = channels === 1;
  const whose = isOne ? 'its' : 'their';
  const what = [
    `all ${whose} messages and threads`,
    ...(webhooks === undefined ? [`${whose} webhooks`] : countSome(webhooks, 'webhook')),
    ...(invites === undefined ? [`${whose} invites`] : countSome(invites, 'invite')),
  ];
  const [is, are, points] = isDone ? ['was', 'were', 'pointed'] : ['is', 'are', 'points'];
  const widget = hasWidget ? ` The widget ${points} to ${isOne ? 'it' : 'one of them'}.` : '';
  const gone = `${count(channels, 'old channel')} ${isOne ? is : are} deleted`;
  return `${gone} with ${enumerate(what)}.${widget}`;
};

/** "a, b and c". */
const enumerate = (parts: string[]): string =>
  parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`;

const countSome = (number: number, what: string): string[] =>
  number === 0 ? [] : [count(number, what)];

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;
