import type { Incident } from '../queries/records.ts';
import { plural } from './format.ts';

/** Who did it, and how many of them could not be stopped. */
export type Attackers = { total: number; unstopped: number };

type Judged = Pick<Incident, 'kind' | 'status'> & { attackers: Attackers };

export const attackersOf = ({ executors }: Pick<Incident, 'executors'>): Attackers => ({
  total: executors.length,
  unstopped: executors.filter(({ notStopped }) => notStopped !== null).length,
});

/** "The attacker", "1 of 2 attackers", "2 attackers". */
const unstoppedOf = ({ total, unstopped }: Attackers): string => {
  if (unstopped < total) return `${unstopped} of ${plural(total, 'attacker')}`;
  return total === 1 ? 'The attacker' : plural(total, 'attacker');
};

/** What matters most about an incident in which somebody is at large. */
export const unstoppedTitle = (attackers: Attackers): string =>
  `${unstoppedOf(attackers)} could not be stopped`;

/** What has not ended waits for its owner, or is still being contained. */
export const isOpen = ({ endedAt }: Pick<Incident, 'endedAt'>): boolean => endedAt === null;

/** What still goes on before what waits, attacks before raids; equals keep their order. */
export const worstFirst = <One extends Judged>(incidents: One[]): One[] =>
  [...incidents].sort((one, other) => rankOf(one) - rankOf(other));

const rankOf = ({ kind, status, attackers }: Judged): number =>
  (status === 'open' || attackers.unstopped > 0 ? 0 : 2) + (kind === 'NUKE' ? 0 : 1);

export const openBadge = ({ kind }: Pick<Incident, 'kind'>): string =>
  kind === 'NUKE' ? 'Attack open' : 'Raid open';

type OpenText = { title: string; sentence: string; action: string };

/** An incident that has not ended, where it stands among other things: what it is, and what to do. */
export const openIncidentText = ({ kind, status, attackers }: Judged): OpenText => {
  if (kind === 'RAID') {
    return status === 'open'
      ? { title: 'Raid', sentence: 'A raid is under way.', action: 'Follow it' }
      : {
          ...{ title: 'Raid contained', action: 'Decide' },
          sentence: 'A raid was contained. Decide about its newcomers.',
        };
  }
  if (attackers.unstopped > 0) {
    const title = unstoppedTitle(attackers);
    return { title, sentence: `${title}.`, action: 'See what to do' };
  }
  if (status === 'open' && attackers.total === 0) {
    return {
      ...{ title: 'Attack by somebody unknown', action: 'See what to do' },
      sentence: 'Much was deleted, and it is not known by whom, so nobody could be stopped.',
    };
  }
  return status === 'open'
    ? { title: 'Under attack', sentence: 'An attack is being stopped now.', action: 'Follow it' }
    : {
        ...{ title: 'Attack contained', action: 'Look and repair' },
        sentence: 'An attack was contained. Look at what was lost, and repair it.',
      };
};
