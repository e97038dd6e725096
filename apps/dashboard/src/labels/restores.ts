import type { RestoreStage } from '@holdfast/contract';
import type { RestoreRecord } from '../queries/records.ts';
import { formatTime } from './format.ts';
import { isRunning } from './status.ts';

/** The ways to restore, the one that destroys nothing first. */
export const modeLabels: Record<RestoreRecord['mode'], { label: string; description: string }> = {
  REPAIR: {
    label: 'Repair: keep what is there',
    description:
      'What is the same stays, with its messages. What differs is set back, what is missing is created.',
  },
  REPLACE: {
    label: 'Replace: make everything anew',
    description:
      'All channels are created again, and those that are there now are deleted with every message in them.',
  },
};

type Mode = Pick<RestoreRecord, 'mode' | 'deleteExtra'>;

/** How it was restored, in a word. */
export const modeText = ({ mode, deleteExtra }: Mode): string => {
  if (mode === 'REPLACE') return 'Replace';
  return deleteExtra ? 'Repair, and delete what the backup does not have' : 'Repair';
};

/** The status of a restore in a sentence. */
const restoreMessages: Record<RestoreRecord['status'], string> = {
  queued: 'Waiting to start. Nothing is changed yet.',
  snapshotting:
    'The backup is being read and a safety backup of the server is made. Nothing is changed yet.',
  running: 'The server is being restored.',
  completed: 'Everything is restored.',
  partial: 'Restored, except for what is listed below.',
  failed: 'The restore could not continue.',
  cancelled: 'The restore was stopped. What was done before that stays.',
};

type Waiting = Pick<RestoreRecord, 'status' | 'resumesAt'>;

/** When a restore that waits for a quota of the platform goes on; null for one that does not wait. */
export const waitsUntil = ({ status, resumesAt }: Waiting): string | null =>
  isRunning({ status }) ? resumesAt : null;

/** What a restore does now, or how it ended. */
export const restoreMessage = (restore: Waiting): string => {
  const until = waitsUntil(restore);
  return until === null
    ? restoreMessages[restore.status]
    : `Waits for the platform, and goes on by itself at ${formatTime(until)}.`;
};

/** What each stage does. */
export const stageLabels: Record<RestoreStage, string> = {
  tighten: 'Remove permissions that the backup does not grant',
  roles: 'Create missing roles',
  build: 'Create the new channels, hidden from everyone, and what belongs to them',
  community: 'Turn the server into a community',
  buildCommunity: 'Create the channels that only a community has',
  edit: 'Edit the channels that stay',
  members: 'Set roles and nicknames of members',
  finish: 'Set permissions, order, roles of members and settings',
  reveal: 'Show the new channels to those who may see them',
  welcome: 'Set the welcome screen, the widget and the onboarding',
  deleteChannels: 'Delete the old channels',
  deleteCategories: 'Delete the old categories',
  sweep: 'Remove roles, emojis and stickers that the backup does not have',
  messages: 'Post messages and threads into the new channels',
};

/** The stage before the first step. */
export const prepareLabel = 'Read the backup, make a safety backup, plan every step';
