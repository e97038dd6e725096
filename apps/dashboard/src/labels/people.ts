import type { MemberHistory } from '../queries/records.ts';

type Kind = MemberHistory['backups'][number]['kinds'][number];

const holdingLabels: Record<Kind, string> = {
  ROLES_AND_NICKNAME: 'roles and nickname',
  MESSAGES: 'messages',
  CHANNELS: 'permissions in channels',
  TEXTS: 'mentions in texts',
};

/** What a backup holds of somebody. */
export const holdingLabel = (kind: Kind): string => holdingLabels[kind];

type AssignmentStatus = NonNullable<MemberHistory['verifiedRole']>['status'];

export const assignmentLabels: Record<AssignmentStatus, string> = {
  waiting: 'The verified role is being given.',
  done: 'The verified role was given.',
  failed: 'The verified role could not be given.',
};
