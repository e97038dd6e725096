import type { Newcomer, Wave } from '../queries/records.ts';
import { formatCount, plural } from './format.ts';

export type WaveDecision = 'KEEP' | 'KICK' | 'BAN';

/** What became of somebody who joined in a raid. */
const newcomerStatusLabels: Record<Newcomer['status'], string> = {
  seen: 'Not held',
  held: 'Held',
  removing: 'Being removed',
  kept: 'Let in',
  kicked: 'Kicked',
  banned: 'Banned',
  spared: 'Spared',
  gone: 'Left',
  failed: 'Could not be removed',
};

const newcomerCodeLabels: Record<NonNullable<Newcomer['code']>, string> = {
  VERIFIED: 'verified meanwhile',
  TRUSTED: 'trusted',
  HAS_ROLES: 'has been given a role',
  BOT_CANNOT_REMOVE: 'the bot lacks the permission, or its role is too low',
  PLATFORM_REFUSED: 'the platform refused it',
};

/** "Spared: verified meanwhile". */
export const newcomerState = ({ status, code }: Pick<Newcomer, 'status' | 'code'>): string =>
  code === null
    ? newcomerStatusLabels[status]
    : `${newcomerStatusLabels[status]}: ${newcomerCodeLabels[code]}`;

const removals = { KICK: ['kick', 'kicked'], BAN: ['ban', 'banned'] } as const;

/** What was decided, and how far it is. */
export const decisionText = (decision: WaveDecision, counts: Wave['counts']): string => {
  if (decision === 'KEEP') return 'You let all of them in.';
  const [verb, done] = removals[decision];
  const left = counts.held + counts.removing;
  const failed = counts.failed > 0 ? ` ${formatCount(counts.failed)} could not be removed.` : '';
  return left > 0
    ? `You decided to ${verb} them: ${plural(left, 'is', 'are')} left.${failed}`
    : `${plural(counts[done], 'newcomer was', 'newcomers were')} ${done}.${failed}`;
};

/** Why somebody looks like part of the raid. */
export const signsOf = ({
  isYoung,
  hasPicture,
  isAlike,
}: Pick<Newcomer, 'isYoung' | 'hasPicture' | 'isAlike'>): string => {
  const signs = [
    ...(isYoung ? ['new account'] : []),
    ...(hasPicture ? [] : ['no picture']),
    ...(isAlike ? ['name like others'] : []),
  ];
  return signs.join(', ') || 'none';
};
