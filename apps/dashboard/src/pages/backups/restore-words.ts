import type { RestoreStage } from '@holdfast/contract';
import type { RestoreRecord } from './use-restores.ts';

/** Where a restore stands, in a sentence. */
export const headline: Record<RestoreRecord['status'], string> = {
  queued: 'It waits for its turn. Nothing is changed yet.',
  snapshotting:
    'The backup is read through and a safety snapshot of the server is taken. Nothing is changed yet.',
  running: 'The server is being restored.',
  completed: 'Everything is back.',
  partial: 'Most of it is back, but not everything. What is missing is listed below.',
  failed: 'The restore could not go on.',
  cancelled: 'The restore was stopped. What was done until then stays.',
};

/** What each stage does, as something that is being done. */
export const stageWords: Record<RestoreStage, string> = {
  tighten: 'Take away rights that the backup does not give',
  roles: 'Make missing roles',
  build: 'Build the new channels, closed to everyone, and what belongs beside them',
  community: 'Turn the server into a community',
  buildCommunity: 'Build the channels that only a community has',
  finish: 'Set permissions, order, roles of members and settings',
  reveal: 'Open the new channels to those who may see them',
  deleteChannels: 'Delete the old channels',
  deleteCategories: 'Delete the old categories',
  sweep: 'Remove roles, emojis and stickers that the backup does not have',
};
