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

/** Why somebody looks like part of the raid, beside the age of the account. */
export const signsOf = ({
  hasPicture,
  isAlike,
}: Pick<Newcomer, 'hasPicture' | 'isAlike'>): string[] => [
  ...(hasPicture ? [] : ['no picture']),
  ...(isAlike ? ['similar name'] : []),
];

type Choice = {
  decision: WaveDecision;
  label: string;
  title: string;
  /** What it does to those who are held. */
  consequence: string;
  message: string;
};

/** What can be decided about so many who are held, each with what it does. A raid that goes on ends with letting them in. */
export const waveChoices = (held: number, isOver: boolean): Choice[] => {
  const newcomers = plural(held, 'newcomer');
  return [
    {
      ...{ decision: 'KEEP', label: `Let ${formatCount(held)} in` },
      title: `Let ${newcomers} in?`,
      consequence: isOver
        ? 'They can verify like everybody else, and the incident is closed.'
        : 'They can verify like everybody else. Your own settings apply again, and the incident is closed.',
      message: 'Nobody is held any more.',
    },
    {
      ...{ decision: 'KICK', label: `Kick ${formatCount(held)}` },
      title: `Kick ${newcomers}?`,
      consequence: 'They are removed from the server. With an invite they can join again.',
      message: 'They are being kicked.',
    },
    {
      ...{ decision: 'BAN', label: `Ban ${formatCount(held)}` },
      title: `Ban ${newcomers}?`,
      consequence: 'They are removed and cannot join again, until you lift a ban on the platform.',
      message: 'They are being banned.',
    },
  ];
};

/** "Raid: 500 joined, 499 held", for lists. */
export const raidTitle = ({ newcomers, counts }: Pick<Wave, 'newcomers' | 'counts'>): string =>
  `Raid: ${formatCount(newcomers)} joined, ${formatCount(counts.held + counts.removing)} held`;
