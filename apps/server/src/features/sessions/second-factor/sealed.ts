import type { Database } from '../../../db/connect.ts';
import { type KeyRing, type Place, SealBroken } from '../../../kernel/seal.ts';
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

const factorsAtATime = 100;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Seals every secret under the ring's present key; tells how many. */
export const rewrapFactors = async (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> => {
  let total = 0;
  for (let after = firstId; ; ) {
    const { last, rewrapped, broken } = await rewrapSome(db, ring, after);
    total += rewrapped;
    broken.forEach(onBroken);
    if (last === undefined) return total;
    after = last;
  }
};

const rewrapSome = (db: Database, ring: KeyRing, after: string) =>
  db.transaction(async (tx) => {
    const page = { after, most: factorsAtATime };
    const rows = await lockFactorsSealedElsewhere(tx, ring.sealingKeyId, page);
    const broken: SealBroken[] = [];
    for (const { userId, secret } of rows) {
      try {
        const opened = openFactor(ring, userId, secret);
        await storeResealedFactor(tx, userId, ring.seal(opened, placeOf(userId)));
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
        broken.push(error);
      }
    }
    return { last: rows.at(-1)?.userId, rewrapped: rows.length - broken.length, broken };
  });
