import type { Lease } from '../../src/queue/lease/lease.ts';

/** A lease that is always held; leases are tested elsewhere. */
export const ownLease: Lease = {
  fence: 1,
  isHeld: () => true,
  transaction: (db, work) => db.transaction(work),
};
