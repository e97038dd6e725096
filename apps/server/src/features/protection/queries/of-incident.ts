import { and, eq, ne } from 'drizzle-orm';
import { incidents } from '../table.ts';

export type OfIncident = { accountId: string; incidentId: string };

export const isIncident = ({ accountId, incidentId }: OfIncident) =>
  and(eq(incidents.id, incidentId), eq(incidents.accountId, accountId));

/** An attack that was not repaired: also one that was dismissed, which may have been a mistake or a lie. */
export const mayBeRepaired = and(eq(incidents.kind, 'NUKE'), ne(incidents.status, 'repaired'));
