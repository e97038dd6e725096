import type { AuditAction } from '../../../platform/gateway/events.ts';
import { isAudited } from '../../../platform/translate/audit-fields.ts';

/** What is not brought back, and what to do about it. */
const lost = {
  people:
    'People who were kicked or pruned are not added again by a repair: a pull adds those who agreed to it.',
  bots: 'Bots and apps that were added may still be there: remove what you do not know.',
  invites: 'Deleted invites have addresses that cannot be had again: make new ones.',
  integrations:
    'Integrations that were changed or removed have to be set up again in the server settings.',
  messages: 'Messages that were deleted in channels that still exist cannot be brought back.',
  pins: 'Messages that were pinned or unpinned stay so: change it in the channel.',
  threads:
    'Threads that were made or changed stay so: delete or change them by hand. Deleted threads are lost with their messages.',
  stages: 'Stages that were begun or ended stay so: a moderator of the stage can change it.',
  commands:
    'Permissions of commands can be set only by a person: look at the integrations in the server settings.',
  guide: 'The server guide can be set only by a person: look at it in the server settings.',
  twoFactor:
    'Whether moderators need two-factor authentication can be set only by the owner of the server: look at it in the safety settings.',
  vanity: 'The vanity address can be set only by a person: claim it again in the server settings.',
  owner:
    'The server was given to another owner, whom no bot can replace: ask the platform for help.',
  voice:
    'People who were muted or deafened in voice channels stay so: a moderator can change it while they are in one.',
  settings:
    'Settings were changed that Holdfast cannot set: look at the audit log in the server settings.',
  unknown:
    'The audit log has entries of which Holdfast cannot undo anything: look at it in the server settings.',
} as const;
export type LostCode = keyof typeof lost;

export const describeLost = (code: LostCode): string => lost[code];

/**
 * What an undo does about each kind of entry of the audit log: it is undone; it harms nothing that lasts;
 * or it is not brought back, and the owner is told. Moves of channels and roles and the welcome screen
 * are in no entry: see `docs/architecture/backups-and-restores.md`.
 */
const treatments: Record<AuditAction, 'undone' | 'harmless' | LostCode> = {
  guildChanged: 'undone',
  channelCreated: 'undone',
  channelChanged: 'undone',
  channelDeleted: 'undone',
  overwriteCreated: 'undone',
  overwriteChanged: 'undone',
  overwriteDeleted: 'undone',
  roleCreated: 'undone',
  roleChanged: 'undone',
  roleDeleted: 'undone',
  memberBanned: 'undone',
  memberUnbanned: 'undone',
  memberChanged: 'undone',
  memberRolesChanged: 'undone',
  webhookCreated: 'undone',
  webhookChanged: 'undone',
  webhookDeleted: 'undone',
  emojiCreated: 'undone',
  emojiChanged: 'undone',
  emojiDeleted: 'undone',
  stickerCreated: 'undone',
  stickerChanged: 'undone',
  stickerDeleted: 'undone',
  eventCreated: 'undone',
  eventChanged: 'undone',
  eventDeleted: 'undone',
  soundCreated: 'undone',
  soundChanged: 'undone',
  soundDeleted: 'undone',
  automodCreated: 'undone',
  automodChanged: 'undone',
  automodDeleted: 'undone',
  onboardingCreated: 'undone',
  onboardingChanged: 'undone',
  onboardingPromptCreated: 'undone',
  onboardingPromptChanged: 'undone',
  onboardingPromptDeleted: 'undone',
  inviteCreated: 'undone',

  memberKicked: 'people',
  membersPruned: 'people',
  botAdded: 'bots',
  integrationCreated: 'bots',
  integrationChanged: 'integrations',
  integrationDeleted: 'integrations',
  inviteChanged: 'invites',
  inviteDeleted: 'invites',
  messageDeleted: 'messages',
  messagesDeleted: 'messages',
  messagePinned: 'pins',
  messageUnpinned: 'pins',
  threadCreated: 'threads',
  threadChanged: 'threads',
  threadDeleted: 'threads',
  stageCreated: 'stages',
  stageChanged: 'stages',
  stageDeleted: 'stages',
  commandPermissionsChanged: 'commands',
  serverGuideCreated: 'guide',
  serverGuideChanged: 'guide',
  monetizationChanged: 'unknown',
  other: 'unknown',

  memberMoved: 'harmless',
  memberDisconnected: 'harmless',
  voiceStatusSet: 'harmless',
  voiceStatusCleared: 'harmless',
  ruleApplied: 'harmless',
};

/** What an entry says that it changed, by the platform's names; `key` is null where it says nothing. */
type ChangedField = { action: string; key: string | null };

const lostFields: Record<string, LostCode> = {
  ...{ mfa_level: 'twoFactor', vanity_url_code: 'vanity', owner_id: 'owner' },
  ...{ mute: 'voice', deaf: 'voice' },
};

/** Of what attackers did, that which no undo brings back. */
export const lostBy = (fields: Iterable<ChangedField>): LostCode[] => {
  const codes = new Set<LostCode>();
  for (const field of fields) {
    const code = lostOf(field);
    if (code) codes.add(code);
  }
  return [...codes];
};

const lostOf = ({ action, key }: ChangedField): LostCode | undefined => {
  // What is stored may be older or younger than this list.
  const treatment = Object.hasOwn(treatments, action)
    ? treatments[action as AuditAction]
    : 'unknown';
  if (treatment !== 'undone') return treatment === 'harmless' ? undefined : treatment;
  if (key === null || (action !== 'guildChanged' && action !== 'memberChanged')) return undefined;
  if (Object.hasOwn(lostFields, key)) return lostFields[key];
  if (action === 'memberChanged') return isAudited('member', key) ? undefined : 'unknown';
  return isAudited('settings', key) ? undefined : 'settings';
};
