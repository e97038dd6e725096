import type { Database } from '../../../db/connect.ts';
import { rewrapRows } from '../../../db/sealed/rewrap.ts';
import type { KeyRing, Place, SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { lockFactorsSealedElsewhere, storeResealedFactor } from './queries.ts';

const placeOf = (userId: string): Place => ({
  table: 'second_factors',
  column: 'secret',
  rowId: userId,
  accountId: userId,
});

export const sealFactor = (ring: KeyRing, userId: string, secret: string): string =>
  ring.seal(new Secret(secret), placeOf(userId));

export const openFactor = (ring: KeyRing, userId: string, sealed: string): Secret =>
  ring.open(sealed, placeOf(userId));

/** Seals every secret under the ring's present key; tells how many. */
export const rewrapFactors = (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> =>
  rewrapRows(
    db,
    {
      rowsAtATime: 100,
      idOf: ({ userId }) => userId,
      lock: (tx, page) => lockFactorsSealedElsewhere(tx, ring.sealingKeyId, page),
      async reseal(tx, { userId, secret }) {
        const opened = openFactor(ring, userId, secret);
        await storeResealedFactor(tx, userId, ring.seal(opened, placeOf(userId)));
      },
    },
    { onBroken },
  );
