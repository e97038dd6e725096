import type { Incident, RestoreRecord } from '../queries/records.ts';

type Restored = Pick<RestoreRecord, 'incidentId' | 'status' | 'createdAt'>;

/** The newest restore of a server after an incident, other than its own repair. They come newest first. */
export const restoredSince = <Restore extends Restored>(
  { id, createdAt }: Pick<Incident, 'id' | 'createdAt'>,
  restores: readonly Restore[],
): Restore | undefined =>
  restores.find(
    (restore) =>
      restore.incidentId !== id &&
      ['completed', 'partial'].includes(restore.status) &&
      Date.parse(restore.createdAt) > Date.parse(createdAt),
  );
