import {
  type BackupComponent,
  componentsOnRequest,
  type restoreStatuses,
} from '@holdfast/contract';

/**
 * A restore goes queued → snapshotting → running → completed, partial, failed or cancelled.
 *
 * While snapshotting nothing of the guild is changed: the backup is read through, the guild is backed
 * up as it is, and the steps are planned. From running on there is a journal, and a worker that takes
 * over goes on with it. `completed` means that everything came back; any loss makes it `partial`.
 */

/** Without messages and threads, which are posted again only where they are asked for. */
export const restorable = (components: readonly BackupComponent[]): BackupComponent[] =>
  components.filter((component) => !componentsOnRequest.includes(component));

/** What names channels, and so changes when they are deleted. */
const tiedToChannels: BackupComponent[] = [
  'automod',
  'onboarding',
  'welcomeScreen',
  'events',
  'webhooks',
];

/** The safety backup holds at least what the restore may change. */
export const safetyComponents = (components: readonly BackupComponent[]): BackupComponent[] => [
  ...new Set<BackupComponent>([
    ...(['settings', 'roles', 'channels'] as const),
    ...(components.includes('channels') ? tiedToChannels : []),
    ...restorable(components),
  ]),
];

type Counted = {
  status: (typeof restoreStatuses)[number];
  stepsTotal: number;
  stepsDone: number;
  stepsFailed: number;
};

const preparationPercent = 5;

/** The preparation counts a little, and only the end is 100. */
export const progressOf = ({ status, stepsTotal, stepsDone, stepsFailed }: Counted): number => {
  if (status === 'queued') return 0;
  if (status === 'completed' || status === 'partial') return 100;
  if (stepsTotal === 0) return 1;
  const done = (stepsDone + stepsFailed) / stepsTotal;
  return Math.min(99, preparationPercent + Math.floor(done * (100 - preparationPercent)));
};
