import type { MassVerification } from '../queries/records.ts';
import { formatCount, plural } from './format.ts';

/** What a mass verification is doing, or how it ended. */
export const massVerificationMessage = (job: MassVerification): string => {
  const { status, total, processed, results } = job;
  if (status === 'queued') return 'It begins in a moment.';
  if (status === 'running') {
    return processed === 0 && total === 0
      ? 'Counting the members who pass the filter.'
      : 'Giving members the role, one after the other.';
  }
  if (status === 'failed') return 'It ended early.';
  if (status === 'cancelled') return 'It was stopped. Members who got the role keep it.';
  if (total === 0) return 'Nobody passed the filter.';
  if (results.failed > 0) return `Done, except for ${plural(results.failed, 'member')}.`;
  return `Done: ${formatCount(results.given)} got the role.`;
};

/** The filter as a sentence about who gets the role. */
export const filterLabel = (
  { joinedBefore, roleId }: Pick<MassVerification, 'joinedBefore' | 'roleId'>,
  roleName: string | undefined,
): string => {
  const parts = [
    ...(joinedBefore ? [`joined before ${new Date(joinedBefore).toLocaleDateString()}`] : []),
    ...(roleId ? [`with the role ${roleName ?? roleId}`] : []),
  ];
  return parts.length === 0 ? 'everybody' : parts.join(', ');
};
