import type { IncidentKind, IncidentStatus } from '@holdfast/contract';
import { type NotStoppedCode, notStoppedTexts } from '@holdfast/contract/checks';
import type { Incident, IncidentCourse } from '../queries/records.ts';
import { spacedLabel } from './audit.ts';
import { formatDuration, plural } from './format.ts';

const incidentKindLabels: Record<IncidentKind, string> = { NUKE: 'Attack', RAID: 'Raid' };

type StatusLabel = { label: string; color: string; title: string; message: string };

const ofAttack: Record<IncidentStatus, StatusLabel> = {
  open: {
    ...{ label: 'under attack', color: 'red', title: 'Under attack' },
    message: 'Holdfast is stopping it right now.',
  },
  contained: {
    ...{ label: 'to repair', color: 'orange', title: 'Attack contained' },
    message: 'Look at what happened, then repair it.',
  },
  repaired: {
    ...{ label: 'repaired', color: 'green', title: 'Repaired' },
    message: 'What the attackers did is undone.',
  },
  dismissed: {
    ...{ label: 'dismissed', color: 'gray', title: 'Dismissed as honest' },
    message: 'It was declared honest work. Roles are given back. It can still be repaired.',
  },
};

const ofRaid: Record<IncidentStatus, StatusLabel> = {
  open: {
    ...{ label: 'being contained', color: 'red', title: 'A raid is under way' },
    message: 'Holdfast is pausing invites and holding the newcomers.',
  },
  contained: {
    ...{ label: 'needs your decision', color: 'orange', title: 'Raid contained' },
    message: 'The newcomers who are held cannot verify until you decide about them.',
  },
  repaired: {
    ...{ label: 'removed', color: 'green', title: 'The raiders were removed' },
    message: 'Your decision was carried out. What became of each newcomer is listed below.',
  },
  dismissed: {
    ...{ label: 'let in', color: 'gray', title: 'The newcomers were let in' },
    message: 'Nobody is held any more. They can verify as usual.',
  },
};

/** How an incident stands, on a badge and in a sentence. */
export const incidentState = ({
  kind,
  status,
  executors,
  acts,
}: Pick<Incident, 'kind' | 'status'> &
  Partial<Pick<Incident, 'executors' | 'acts'>>): StatusLabel => {
  if (kind === 'NUKE' && status === 'open' && executors?.length === 0) return byNobodyKnown;
  if (kind === 'NUKE' && status === 'dismissed' && acts?.total === 0) return noAttack;
  return (kind === 'RAID' ? ofRaid : ofAttack)[status];
};

const byNobodyKnown: StatusLabel = {
  ...ofAttack.open,
  message:
    'Who did it is not known, because the audit log does not tell, so nobody could be stopped. Take dangerous roles from whoever you do not trust, see that the bot may view the audit log, and repair the server once that is done.',
};

const noAttack: StatusLabel = {
  ...ofAttack.dismissed,
  message:
    'The audit log told late who had deleted the channels or roles, and it was no attack. Nobody was stopped.',
};

/** Why it became an incident. */
const triggers: Record<string, string> = {
  channelDeletes: 'too many channels were deleted',
  roleDeletes: 'too many roles were deleted',
  bans: 'too many members were banned',
  kicks: 'too many members were kicked',
  webhookCreates: 'too many webhooks were created',
  emojiDeletes: 'too many emojis or stickers were deleted',
  dangerousGrants: 'a dangerous permission was given',
  botAdds: 'a bot was added',
  prunes: 'inactive members were pruned',
  settingsChanges: 'settings that protect the server were weakened',
  ownerChanges: 'the server was given to another owner',
  edits: 'too much was made or changed at once',
  roleTakes: 'roles were taken from too many members',
  joins: 'too many young accounts joined at once',
};

export const triggerText = (kind: string): string =>
  triggers[kind] ?? spacedLabel(kind).toLowerCase();

const isNotStoppedCode = (code: string): code is NotStoppedCode => code in notStoppedTexts;

/** Why a step that was to stop somebody failed. */
export const stopCodeText = (code: string): string => {
  if (isNotStoppedCode(code)) return notStoppedTexts[code].why;
  return code === 'GONE' ? 'They had left already.' : spacedLabel(code);
};

export type Executor = IncidentCourse['executors'][number];

export const executorName = ({ username, platformId }: Executor): string => username || platformId;

/** Bots may have the name of a person. */
export const distinctName = (executor: Executor, all: Executor[]): string => {
  const name = executorName(executor);
  const isShared = all.some((other) => other !== executor && executorName(other) === name);
  return executor.isBot && isShared ? `${name} (bot)` : name;
};

const returnTexts: Record<string, string> = {
  wanted: 'Being given back',
  returned: 'Given back',
  left: 'Not given back: they have left',
  failed: 'Could not be given back',
};

export const returnText = (status: string | null): string | undefined =>
  status === null ? undefined : (returnTexts[status] ?? spacedLabel(status));

type Step = IncidentCourse['steps'][number];

const stepTexts: Record<string, { done: string; begun: string; failed: string }> = {
  SET_APART: {
    ...{ done: 'A channel was kept apart from its category', begun: 'Keeping a channel apart' },
    failed: 'A channel could not be kept apart from its category',
  },
  PAUSE_INVITES: {
    ...{ done: 'Invites were paused', begun: 'Pausing invites' },
    failed: 'Invites could not be paused',
  },
  RESUME_INVITES: {
    ...{ done: 'Invites work again', begun: 'Resuming invites' },
    failed: 'Invites could not be resumed',
  },
  SNAPSHOT: {
    ...{ done: 'A backup of the server as it is was started', begun: 'Starting a backup' },
    failed: 'No backup could be started',
  },
  ALERT: {
    ...{ done: 'You were alerted', begun: 'Alerting you' },
    failed: 'You could not be alerted',
  },
  AWAIT_RESTORE: {
    ...{ done: 'The repair could start', begun: 'The repair waits for another restore to end' },
    failed: 'The repair does not wait any more',
  },
  REPAIR: {
    ...{ done: 'The repair was started', begun: 'Starting the repair' },
    failed: 'The repair could not be started',
  },
  RETURN_ROLES: {
    ...{ done: 'Roles were given back', begun: 'Giving roles back' },
    failed: 'Roles could not be given back',
  },
  RAISE_CHECKS: {
    ...{ done: 'Newcomers are checked more strictly', begun: 'Raising the checks of newcomers' },
    failed: 'The checks of newcomers could not be raised',
  },
  HOLD_NEWCOMERS: {
    ...{ done: 'The newcomers of the wave are held', begun: 'Holding the newcomers' },
    failed: 'The newcomers could not be held',
  },
  LOWER_CHECKS: {
    ...{ done: 'Your own checks apply again', begun: 'Lowering the checks of newcomers' },
    failed: 'The checks of newcomers could not be lowered',
  },
  REMOVE_NEWCOMERS: {
    ...{ done: 'The held newcomers were removed', begun: 'Removing the held newcomers' },
    failed: 'Not all of the held newcomers could be removed',
  },
};

/** A step of the containment in a sentence. */
export const stepText = (step: Step, nameOf: (platformId: string) => string): string => {
  if (step.kind !== 'STOP_EXECUTOR' && step.kind !== 'TAKE_OVERWRITE') {
    return stepTexts[step.kind]?.[step.status] ?? spacedLabel(step.kind);
  }
  const name = step.executorId === null ? 'somebody' : nameOf(step.executorId);
  if (step.kind === 'TAKE_OVERWRITE') return overwriteText(step.status, name);
  if (step.status === 'failed') return `${name} could not be stopped`;
  if (step.isKicked) return `${step.status === 'done' ? 'Removed' : 'Removing'} the bot ${name}`;
  return `${step.status === 'done' ? 'Took' : 'Taking'} the dangerous roles of ${name}`;
};

const overwriteText = (status: Step['status'], name: string): string => {
  if (status === 'failed') return `${name} could not be kept from changing a channel`;
  return `${status === 'done' ? 'Took' : 'Taking'} what ${name} may do in a channel by themselves`;
};

/** "under 1 s", "0.8 s", "1 min 5 s". */
export const formatMs = (ms: number): string =>
  ms >= 50 && ms < 10_000
    ? `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`
    : formatDuration(ms / 1000);

export const formatAfter = (ms: number | null): string => (ms === null ? '–' : formatMs(ms));

/** "Attack by stowaway", for lists and titles. */
export const incidentTitle = ({
  kind,
  executors,
}: Pick<Incident, 'kind' | 'executors'>): string => {
  const [first] = executors;
  if (kind === 'RAID' || !first) return incidentKindLabels[kind];
  const name = first.username || first.platformId;
  const others = executors.length - 1;
  return others === 0
    ? `${incidentKindLabels[kind]} by ${name}`
    : `${incidentKindLabels[kind]} by ${name} and ${plural(others, 'other')}`;
};
