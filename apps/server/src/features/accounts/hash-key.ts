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

const placeOf = (accountId: string): Place => ({
  table: 'users',
  column: 'hash_key',
  rowId: accountId,
  accountId,
});

/** The key under which the account's addresses and devices are hashed, made at its first use. */
export const accountHashKey = async (
  db: Queryable,
  ring: KeyRing,
  accountId: string,
): Promise<Secret> => {
  const known = await findHashKey(db, accountId);
  if (known !== null) return openHashKey(ring, accountId, known);
  const key = generateHashKey();
  if (await storeFirstHashKey(db, accountId, ring.seal(key, placeOf(accountId)))) return key;
  const other = await findHashKey(db, accountId);
  if (other === null) throw new Error('The account of this hash key is gone');
  return openHashKey(ring, accountId, other);
};

export const openHashKey = (ring: KeyRing, accountId: string, hashKey: string): Secret =>
  ring.open(hashKey, placeOf(accountId));

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
      idOf: ({ accountId }) => accountId,
      lock: (tx, page) => lockHashKeysSealedElsewhere(tx, ring.sealingKeyId, page),
      async reseal(tx, { accountId, hashKey }) {
        const opened = openHashKey(ring, accountId, hashKey);
        await storeResealedHashKey(tx, accountId, ring.seal(opened, placeOf(accountId)));
      },
    },
    { onBroken },
  );
