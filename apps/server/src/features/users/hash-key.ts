import type { Database, Queryable } from '../../db/connect.ts';
import { rewrapRows } from '../../db/sealed/rewrap.ts';
import { generateHashKey } from '../../kernel/keyed-hash.ts';
import type { KeyRing, Place, SealBroken } from '../../kernel/seal.ts';
import type { Secret } from '../../kernel/secret.ts';
import {
  findHashKey,
  lockHashKeysSealedElsewhere,
  storeFirstHashKey,
  storeResealedHashKey,
} from './queries.ts';

const placeOf = (userId: string): Place => ({
  table: 'users',
  column: 'hash_key',
  rowId: userId,
  accountId: userId,
});

/** The key under which the account's addresses and devices are hashed, made at its first use. */
export const accountHashKey = async (
  db: Queryable,
  ring: KeyRing,
  userId: string,
): Promise<Secret> => {
  const known = await findHashKey(db, userId);
  if (known !== null) return openHashKey(ring, userId, known);
  const key = generateHashKey();
  if (await storeFirstHashKey(db, userId, ring.seal(key, placeOf(userId)))) return key;
  const other = await findHashKey(db, userId);
  if (other === null) throw new Error('The account of this hash key is gone');
  return openHashKey(ring, userId, other);
};

export const openHashKey = (ring: KeyRing, userId: string, hashKey: string): Secret =>
  ring.open(hashKey, placeOf(userId));

/** Seals every hash key under the ring's present key; tells how many. */
export const rewrapHashKeys = (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> =>
  rewrapRows(
    db,
    {
      rowsAtATime: 100,
      idOf: ({ userId }) => userId,
      lock: (tx, page) => lockHashKeysSealedElsewhere(tx, ring.sealingKeyId, page),
      async reseal(tx, { userId, hashKey }) {
        const opened = openHashKey(ring, userId, hashKey);
        await storeResealedHashKey(tx, userId, ring.seal(opened, placeOf(userId)));
      },
    },
    { onBroken },
  );
