import type { Incident } from '../queries/records.ts';

type Judged = Pick<Incident, 'kind' | 'status'>;

/** What has not ended waits for its owner, or is still being contained. */
export const isOpen = ({ endedAt }: Pick<Incident, 'endedAt'>): boolean => endedAt === null;

/** What still goes on before what waits, attacks before raids; equals keep their order. */
export const worstFirst = <One extends Judged>(incidents: One[]): One[] =>
  [...incidents].sort((one, other) => rankOf(one) - rankOf(other));

const rankOf = ({ kind, status }: Judged): number =>
  (status === 'open' ? 0 : 2) + (kind === 'NUKE' ? 0 : 1);

export const openBadge = ({ kind }: Pick<Incident, 'kind'>): string =>
  kind === 'NUKE' ? 'attack open' : 'raid open';

type OpenText = { title: string; sentence: string; action: string };

/** An incident that has not ended, where it stands among other things: what it is, and what to do. */
export const openIncidentText = ({ kind, status }: Judged): OpenText => {
  if (kind === 'RAID') {
    return status === 'open'
      ? { title: 'Raid', sentence: 'A raid is under way.', action: 'Follow it' }
      : {
          ...{ title: 'Raid contained', action: 'Decide' },
          sentence: 'A raid was contained. Decide about its newcomers.',
        };
  }
  return status === 'open'
    ? { title: 'Under attack', sentence: 'An attack is being stopped now.', action: 'Follow it' }
    : {
        ...{ title: 'Attack contained', action: 'Look and repair' },
        sentence: 'An attack was contained. Look at what was lost, and repair it.',
      };
};
