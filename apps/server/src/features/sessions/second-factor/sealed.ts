import type { Database } from '../../../db/connect.ts';
import { rewrapRows } from '../../../db/sealed/rewrap.ts';
import type { KeyRing, Place, SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { lockFactorsSealedElsewhere, storeResealedFactor } from './queries.ts';

const placeOf = (accountId: string): Place => ({
  table: 'second_factors',
  column: 'secret',
  rowId: accountId,
  accountId,
});

export const sealFactor = (ring: KeyRing, accountId: string, secret: string): string =>
  ring.seal(new Secret(secret), placeOf(accountId));

export const openFactor = (ring: KeyRing, accountId: string, sealed: string): Secret =>
  ring.open(sealed, placeOf(accountId));

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
      idOf: ({ accountId }) => accountId,
      lock: (tx, page) => lockFactorsSealedElsewhere(tx, ring.sealingKeyId, page),
      async reseal(tx, { accountId, secret }) {
        const opened = openFactor(ring, accountId, secret);
        await storeResealedFactor(tx, accountId, ring.seal(opened, placeOf(accountId)));
      },
    },
    { onBroken },
  );
