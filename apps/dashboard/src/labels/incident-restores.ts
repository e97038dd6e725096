import type { Incident, RestoreRecord } from '../queries/records.ts';

type Restored = Pick<RestoreRecord, 'id' | 'incidentId' | 'status' | 'createdAt' | 'completedAt'>;

/** The newest restore of a server after an incident, other than its own repair. They come newest first. */
export const restoredSince = (
  { id, createdAt }: Pick<Incident, 'id' | 'createdAt'>,
  restores: readonly Restored[],
): Restored | undefined =>
  restores.find(
    (restore) =>
      restore.incidentId !== id &&
      ['completed', 'partial'].includes(restore.status) &&
      Date.parse(restore.createdAt) > Date.parse(createdAt),
  );
