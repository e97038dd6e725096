import type { BackupComponent } from '@holdfast/contract';
import type { BackupRecord } from '../queries/records.ts';
import { formatTime, keysOf } from './format.ts';

/** The components of a backup, the most important first. */
type ComponentLabel = {
  label: string;
  explanation: string;
  /** What restoring it means, where that needs saying. */
  restored?: string;
};

export const componentLabels: Record<BackupComponent, ComponentLabel> = {
  channels: { label: 'Channels', explanation: 'Categories too, with who may see and do what.' },
  roles: { label: 'Roles', explanation: 'Names, colours, permissions and their order.' },
  settings: { label: 'Server settings', explanation: 'Name, pictures, rules and system channels.' },
  emojis: { label: 'Emojis', explanation: 'With their pictures.' },
  stickers: { label: 'Stickers', explanation: 'With their pictures.' },
  bans: { label: 'Bans', explanation: 'Who is banned, and why.' },
  memberRoles: { label: 'Roles of members', explanation: 'Who has which roles and nickname.' },
  automod: {
    label: 'AutoMod rules',
    explanation: 'What is blocked, and whom it does not concern.',
  },
  onboarding: { label: 'Onboarding', explanation: 'Questions and default channels of newcomers.' },
  welcomeScreen: { label: 'Welcome screen', explanation: 'What newcomers see first.' },
  events: { label: 'Events', explanation: 'Scheduled events, with their pictures.' },
  soundboard: { label: 'Soundboard', explanation: 'With the sounds themselves.' },
  webhooks: { label: 'Webhooks', explanation: 'They return with new addresses.' },
  threads: {
    label: 'Threads and posts',
    explanation: 'Threads of channels and posts of forums.',
    restored: 'Opened again by a webhook, only in channels that are created anew.',
  },
  messages: {
    label: 'Messages',
    explanation: 'The newest of each channel. More take longer and need more storage.',
    restored:
      'Posted again by a webhook under the names of their authors, only in channels that are created anew. Nobody is notified, and the times are those of the posting.',
  },
};

export const allComponents = keysOf(componentLabels);

/** What a backup contains unless its owner chooses: messages and threads are backed up on request. */
export const usualComponents: BackupComponent[] = allComponents.filter(
  (name) => name !== 'messages' && name !== 'threads',
);

export const backupKindLabels: Record<BackupRecord['kind'], string> = {
  MANUAL: 'Made by hand',
  SCHEDULED: 'Made by schedule',
  PRE_RESTORE: 'Safety backup before a restore',
  MARKETPLACE: 'From the marketplace',
};

type Counts = BackupRecord['counts'];

/** How much of a component there is; settings are not counted. */
export const countOf = (counts: Counts, name: BackupComponent): number | undefined => {
  if (name === 'settings') return undefined;
  return counts[name === 'memberRoles' ? 'members' : name];
};

const generatedNames: [RegExp, string][] = [
  [/^Backup (\d{4}-\d\d-\d\dT[\d:.]+Z)$/, 'Backup of'],
  [/^Scheduled (\d{4}-\d\d-\d\dT[\d:.]+Z)$/, 'Scheduled backup of'],
  [/^Incident (\d{4}-\d\d-\d\dT[\d:.]+Z)$/, 'During the incident of'],
  [/^Accepted (\d{4}-\d\d-\d\dT[\d:.]+Z)$/, 'Accepted as it was on'],
];

/** Its name; names that the service made from a time or an id show the reader's own time instead. */
export const backupTitle = ({
  kind,
  name,
  createdAt,
}: Pick<BackupRecord, 'kind' | 'name' | 'createdAt'>): string => {
  if (kind === 'PRE_RESTORE' && !name.startsWith('Incident ')) {
    return `Before the restore of ${formatTime(createdAt)}`;
  }
  for (const [pattern, label] of generatedNames) {
    const [, time] = pattern.exec(name) ?? [];
    if (time) return `${label} ${formatTime(time)}`;
  }
  return name;
};

/** The newest that saves the server: neither a copy made for a restore or an incident, nor a bought template. */
export const lastBackupOf = <Backup extends Pick<BackupRecord, 'kind'>>(
  newestFirst: readonly Backup[],
): Backup | undefined =>
  newestFirst.find(({ kind }) => kind !== 'PRE_RESTORE' && kind !== 'MARKETPLACE');

/** In the order in which they are shown. */
export const restorableComponents = (components: readonly BackupComponent[]): BackupComponent[] =>
  allComponents.filter((name) => components.includes(name));

/** Every backup is test-restored once it is complete. */
export const awaitsTestRestore = ({
  status,
  restorable,
}: Pick<BackupRecord, 'status' | 'restorable'>): boolean =>
  status === 'completed' && restorable === null;

/** The last good backup first, whatever the order of the others. */
export const lastGoodFirst = <Backup extends { id: string }>(
  backups: readonly Backup[],
  lastGoodBackupId: string | null | undefined,
): Backup[] => [
  ...backups.filter(({ id }) => id === lastGoodBackupId),
  ...backups.filter(({ id }) => id !== lastGoodBackupId),
];
