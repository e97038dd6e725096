import type { PullResult } from '@holdfast/contract';
import type { Member, PullRecord } from '../queries/records.ts';
import { formatCount, formatRatio, keysOf, plural } from './format.ts';
import { isRunning } from './status.ts';

type ResultLabels = { label: string; explanation: string; color: string };

/** The outcome for a member, and what it means for the owner. */
export const pullResultLabels: Record<PullResult, ResultLabels> = {
  joined: {
    label: 'Joined',
    explanation: 'This pull added them to the server.',
    color: 'green.7',
  },
  alreadyMember: {
    label: 'Already members',
    explanation: 'Nothing had to be done.',
    color: 'tide.5',
  },
  tokenInvalid: {
    label: 'Permission expired',
    explanation: 'Their permission expired or was withdrawn: they have to verify again.',
    color: 'orange.6',
  },
  banned: {
    label: 'Banned',
    explanation: 'The server has banned them. Lift the ban first if they should come back.',
    color: 'red.7',
  },
  guildLimit: {
    label: 'In too many servers',
    explanation: 'The platform does not let them join more: they have to leave one first.',
    color: 'grape.6',
  },
  blacklisted: {
    label: 'On your blacklist',
    explanation: 'They were added to it in the meantime and left out.',
    color: 'gray.7',
  },
  withdrawn: {
    label: 'Withdrew their consent',
    explanation: 'They no longer want to be brought back.',
    color: 'gray.5',
  },
  failed: {
    label: 'Failed',
    explanation: 'The platform did not add them this time: another pull may.',
    color: 'pink.6',
  },
};

export const pullResults = keysOf(pullResultLabels);

type Started = Pick<PullRecord, 'status' | 'processed' | 'createdAt'>;

/**
 * When the server's next pull is possible, in milliseconds; undefined if it is possible now. Pulls come
 * newest first. A pull that ended before it tried anybody does not count.
 */
export const cooldownEnd = (
  pulls: readonly Started[],
  cooldownMs: number,
  now: number,
): number | undefined => {
  const last = pulls.find((pull) => pull.processed > 0 || isRunning(pull));
  const end = last ? Date.parse(last.createdAt) + cooldownMs : now;
  return end > now ? end : undefined;
};

export const pullMessages: Record<PullRecord['status'], string> = {
  queued: 'Waiting to start.',
  running: 'Members are being brought back, one after the other.',
  completed: 'Every member was tried.',
  failed: 'It ended before every member was tried.',
  cancelled: 'It was stopped. Members who had joined by then stay.',
};

type Ended = Pick<PullRecord, 'total'> & {
  results: Pick<PullRecord['results'], 'joined' | 'alreadyMember'>;
};

/** How a completed pull ended: who came back by it is not mixed up with who was there already. */
export const pullVerdict = ({ total, results: { joined, alreadyMember } }: Ended): string => {
  if (total === 0) return 'There was nobody to bring back';
  if (alreadyMember === total)
    return total === 1
      ? 'The member was there already'
      : `All ${formatCount(total)} were there already`;
  const missing = total - joined - alreadyMember;
  return [
    `${plural(joined, 'member')} came back`,
    ...(alreadyMember > 0 ? [`${plural(alreadyMember, 'was', 'were')} there already`] : []),
    ...(missing > 0 ? [`${formatCount(missing)} could not be brought back`] : []),
  ].join(', ');
};

type Counted = Ended & Pick<PullRecord, 'status' | 'processed'>;

/** Until every member was tried, who joined is told of those who were. */
export const pullSummary = (pull: Counted): string => {
  if (pull.status === 'completed') return pullVerdict(pull);
  const { processed, total, results } = pull;
  const joined = `${plural(results.joined, 'member')} joined`;
  if (isRunning(pull)) return `${joined} so far, ${formatRatio(processed, total)} tried`;
  return `${joined} of ${plural(processed, 'member')} tried`;
};

type Pullable = Pick<Member, 'pullable' | 'consentedAt' | 'tokenStatus'>;

/** Whether a member can be brought back, and if not, why. */
export const pullableLabel = ({ pullable, consentedAt, tokenStatus }: Pullable): string => {
  if (pullable) return 'Yes';
  if (consentedAt === null) return 'No: has not agreed';
  if (tokenStatus === 'REVOKED') return 'No: withdrew the permission';
  if (tokenStatus === 'NONE') return 'No: gave no token';
  return 'No: on your blacklist';
};

export const tokenLabels: Record<Member['tokenStatus'], string> = {
  VALID: 'Good',
  EXPIRED: 'To be renewed',
  REVOKED: 'Revoked',
  NONE: 'None',
};
