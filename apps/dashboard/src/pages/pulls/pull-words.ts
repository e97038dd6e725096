import type { PullResult } from '@holdfast/contract';
import type { Entry } from '@holdfast/sdk';

export type PullRecord = Entry<'listPulls'>;

type ResultWords = { label: string; explanation: string; color: string };

/** How it ended for a member, and what that means for whoever wants them back. */
export const resultWords: Record<PullResult, ResultWords> = {
  joined: {
    label: 'Joined',
    explanation: 'They are in the server, by this pull.',
    color: 'teal.6',
  },
  alreadyMember: {
    label: 'Were there already',
    explanation: 'Nothing had to be done.',
    color: 'blue.6',
  },
  tokenInvalid: {
    label: 'Permission ran out',
    explanation: 'Their permission has run out or was taken back: they have to verify again.',
    color: 'orange.6',
  },
  banned: {
    label: 'Banned',
    explanation: 'The server has banned them. Lift the ban first if they should come back.',
    color: 'red.7',
  },
  guildLimit: {
    label: 'In too many servers',
    explanation: 'The platform lets them join no more: they have to leave one first.',
    color: 'grape.6',
  },
  blacklisted: {
    label: 'On your blacklist',
    explanation: 'They came onto it meanwhile, and were left out.',
    color: 'gray.7',
  },
  withdrawn: {
    label: 'Withdrew their consent',
    explanation: 'They no longer want to be brought back.',
    color: 'gray.5',
  },
  failed: {
    label: 'Failed',
    explanation: 'The platform did not do it this time: another pull may bring them.',
    color: 'pink.6',
  },
};

// The record names each result once, so its keys are just these.
export const allResults = Object.keys(resultWords) as PullResult[];

export const isUnderWay = ({ status }: Pick<PullRecord, 'status'>): boolean =>
  status === 'queued' || status === 'running';

type Begun = Pick<PullRecord, 'status' | 'processed' | 'createdAt'>;

/**
 * When the next pull of the server is possible, in milliseconds; undefined where it is now. Pulls come
 * newest first. One that ended before it tried anybody gave its cooldown back.
 */
export const cooldownEnd = (
  pulls: readonly Begun[],
  cooldownMs: number,
  now: number,
): number | undefined => {
  const last = pulls.find((pull) => pull.processed > 0 || isUnderWay(pull));
  const end = last ? Date.parse(last.createdAt) + cooldownMs : now;
  return end > now ? end : undefined;
};
