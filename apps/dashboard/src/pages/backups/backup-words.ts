import type { BackupComponent } from '@holdfast/contract';
import type { Entry } from '@holdfast/sdk';
import { momentWords } from '../../parts/words.ts';

export type BackupRecord = Entry<'listBackups'>;

/** The parts of a server, in the order in which a person would name them. */
export const componentWords: Record<BackupComponent, { label: string; explanation: string }> = {
  channels: { label: 'Channels', explanation: 'Categories too, with who may see and do what.' },
  roles: { label: 'Roles', explanation: 'Names, colours, permissions and their order.' },
  settings: { label: 'Server settings', explanation: 'Name, pictures, rules and system channels.' },
  emojis: { label: 'Emojis', explanation: 'With their pictures.' },
  stickers: { label: 'Stickers', explanation: 'With their pictures.' },
  bans: { label: 'Bans', explanation: 'Who is banned, and why.' },
  memberRoles: { label: 'Roles of members', explanation: 'Who has which roles and nickname.' },
  messages: {
    label: 'Messages',
    explanation: 'The newest of each channel, kept to be read. They are not written again.',
  },
};

// The record names each component once, so its keys are just these.
export const allComponents = Object.keys(componentWords) as BackupComponent[];

export const kindWords: Record<BackupRecord['kind'], string> = {
  MANUAL: 'Made by hand',
  SCHEDULED: 'Made by schedule',
  PRE_RESTORE: 'Safety snapshot before a restore',
  MARKETPLACE: 'From the marketplace',
};

export const countLabels: Record<keyof BackupRecord['counts'], string> = {
  channels: 'Channels',
  roles: 'Roles',
  emojis: 'Emojis',
  stickers: 'Stickers',
  bans: 'Bans',
  members: 'Members',
  messages: 'Messages',
};

const namesByTime: [RegExp, string][] = [
  [/^Backup (\d{4}-\d\d-\d\dT[\d:.]+Z)$/, 'Backup of'],
  [/^Scheduled (\d{4}-\d\d-\d\dT[\d:.]+Z)$/, 'Scheduled backup of'],
];

/** Its name; what the service named by a time or an id is named by the reader's own time. */
export const titleOf = ({
  kind,
  name,
  createdAt,
}: Pick<BackupRecord, 'kind' | 'name' | 'createdAt'>): string => {
  if (kind === 'PRE_RESTORE') return `Before the restore of ${momentWords(createdAt)}`;
  for (const [pattern, words] of namesByTime) {
    const [, time] = pattern.exec(name) ?? [];
    if (time) return `${words} ${momentWords(time)}`;
  }
  return name;
};

/** Messages are kept to be read: nothing writes them again. */
export const restorableOf = (components: readonly BackupComponent[]): BackupComponent[] =>
  allComponents.filter((name) => name !== 'messages' && components.includes(name));

export const isUnderWay = ({ status }: Pick<BackupRecord, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** A drill follows each backup by itself. */
export const awaitsDrill = ({
  status,
  restorable,
}: Pick<BackupRecord, 'status' | 'restorable'>): boolean =>
  status === 'completed' && restorable === null;

type Judged = Pick<BackupRecord, 'status' | 'restorable' | 'suspicious' | 'kind'>;

/** One that an owner can rely on: whole, not taken of a wrecked server, and no drill failed on it. */
export const isGood = ({ status, restorable, suspicious, kind }: Judged): boolean =>
  status === 'completed' && restorable !== false && !suspicious && kind !== 'PRE_RESTORE';
