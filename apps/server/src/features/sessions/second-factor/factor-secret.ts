import type { Database } from '../../../db/connect.ts';
import { rewrapColumn } from '../../../db/queries/rewrap-column.ts';
import type { KeyRing, Place, SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { factorColumn } from './queries.ts';

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

/** Seals every secret under the ring's first key; returns how many. */
export const rewrapFactors = (
  db: Database,
  ring: KeyRing,
  onBroken: (error: SealBroken) => void,
): Promise<number> => rewrapColumn(db, ring, { ...factorColumn, placeOf }, onBroken);
