import type { Drill } from '../queries/records.ts';
import { formatCount, formatPercent } from './format.ts';
import { formatAfter } from './incidents.ts';

const resultLabels: Record<NonNullable<Drill['outcome']>, string> = {
  STOPPED: 'Stopped',
  NOT_STOPPED: 'Not stopped',
  NOT_DETECTED: 'Not noticed',
  SWITCHED_OFF: 'Protection was off',
  NO_GOOD_BACKUP: 'No good backup',
  NOTHING_TO_DESTROY: 'Nothing to destroy',
  ROLE_TOO_HIGH: 'The bot’s role is too low',
  MISSING_PERMISSION: 'The bot lacks a permission',
  EVERYONE: 'Everyone has too much power',
};

/** How it went, in a few words. */
export const drillResult = ({ outcome }: Pick<Drill, 'outcome'>): string =>
  outcome === null ? 'Failed' : resultLabels[outcome];

/** What was measured, in the order in which it happened. */
export const measuresOf = ({ figures, membersReachable, membersTotal }: Drill) => [
  ...(figures
    ? [
        { label: 'Noticed after', value: formatAfter(figures.detectedAfterMs) },
        { label: 'Stopped after', value: formatAfter(figures.stoppedAfterMs) },
        { label: 'Lost', value: `${figures.objectsLost} of ${formatCount(figures.objects)}` },
        { label: 'Repaired after', value: formatAfter(figures.repairedAfterMs) },
        { label: 'Left different', value: String(figures.differences ?? '–') },
      ]
    : []),
  ...(membersReachable === null || !membersTotal
    ? []
    : [{ label: 'Members reachable', value: formatPercent(membersReachable / membersTotal) }]),
];
