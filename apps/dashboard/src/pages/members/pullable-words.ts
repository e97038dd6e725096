import type { Entry } from '@holdfast/sdk';

export type Member = Entry<'listMembers'>;

type Callable = Pick<Member, 'pullable' | 'consentedAt' | 'tokenStatus'>;

/** Whether somebody can be called back, and what stands against it. */
export const pullableWords = ({ pullable, consentedAt, tokenStatus }: Callable): string => {
  if (pullable) return 'Yes';
  if (consentedAt === null) return 'No: has not agreed to it';
  if (tokenStatus === 'REVOKED') return 'No: took the permission back';
  if (tokenStatus === 'NONE') return 'No: gave no token';
  return 'No: on your blacklist';
};

export const tokenWords: Record<Member['tokenStatus'], string> = {
  VALID: 'Good',
  EXPIRED: 'To be renewed',
  REVOKED: 'Revoked',
  NONE: 'None',
};
