import { and, eq } from 'drizzle-orm';
import { incidents } from '../table.ts';

export type OfIncident = { accountId: string; incidentId: string };

export const isIncident = ({ accountId, incidentId }: OfIncident) =>
  and(eq(incidents.id, incidentId), eq(incidents.accountId, accountId));
