import type { IncidentStatus } from '@holdfast/contract';
import { and, eq, isNull, ne, or, sql } from 'drizzle-orm';
import { incidents } from '../table.ts';

export type OfIncident = { accountId: string; incidentId: string };

export const isIncident = ({ accountId, incidentId }: OfIncident) =>
  and(eq(incidents.id, incidentId), eq(incidents.accountId, accountId));

/**
 * Somebody in it is at large, but a later attack has an incident of its own. An index allows one that is stored
 * as open on a server, also for the release before: so this one is stored as contained that never was.
 */
const isSetAside = and(eq(incidents.status, 'contained'), isNull(incidents.containedAt));
export const setAside = { status: 'contained', containedAt: null } as const;

/** As it is told. */
export const incidentStatus = sql<IncidentStatus>`case when ${isSetAside} then 'open'
  else ${incidents.status} end`;

export const isOpen = or(eq(incidents.status, 'open'), isSetAside);
export const isNotSetAside = sql`not (${isSetAside})`;

/**
 * For so long after it was noticed, what is done belongs to it: its pause of invites lasts no longer, and what
 * somebody who cannot be stopped does later is not always an attack.
 */
export const takesInForHours = 24;

/** An attack that was not repaired: also one that was dismissed, which may have been a mistake or a lie. */
export const mayBeRepaired = and(eq(incidents.kind, 'NUKE'), ne(incidents.status, 'repaired'));
