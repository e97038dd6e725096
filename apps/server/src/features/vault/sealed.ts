import { z } from 'zod';
import type { KeyRing, Place } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import type { TokenPair } from '../../platform/port-oauth.ts';

type Owner = { id: string; accountId: string };
type SealedColumn = 'accessToken' | 'refreshToken';
type SealedTokens = Record<SealedColumn, string>;

const placeOf = (column: SealedColumn, { id, accountId }: Owner): Place => ({
  table: 'member_tokens',
  column,
  rowId: id,
  accountId,
});

/** Both tokens of a pair, sealed into their row, and the key they were sealed under. */
export const sealTokens = (
  ring: KeyRing,
  owner: Owner,
  { accessToken, refreshToken }: Pick<TokenPair, SealedColumn>,
) => ({
  accessToken: ring.seal(accessToken, placeOf('accessToken', owner)),
  refreshToken: ring.seal(refreshToken, placeOf('refreshToken', owner)),
  sealKeyId: ring.sealingKeyId,
});

export const openToken = (ring: KeyRing, row: Owner & SealedTokens, column: SealedColumn): Secret =>
  ring.open(row[column], placeOf(column, row));

export const resealTokens = (ring: KeyRing, row: Owner & SealedTokens) =>
  sealTokens(ring, row, {
    accessToken: openToken(ring, row, 'accessToken'),
    refreshToken: openToken(ring, row, 'refreshToken'),
  });

/** A token on its way to be revoked, and whose it was: sealed, for it passes through the queue. */
type Farewell = { platformId: string; token: string };
const farewell = z.object({ platformId: z.string(), token: z.string() });

const placeInQueue = ({ id, accountId }: Owner): Place => ({
  table: 'vault.revoke',
  column: 'farewell',
  rowId: id,
  accountId,
});

export const sealFarewell = (ring: KeyRing, owner: Owner, words: Farewell): string =>
  ring.seal(new Secret(JSON.stringify(words)), placeInQueue(owner));

export const openFarewell = (ring: KeyRing, owner: Owner, sealed: string): Farewell =>
  farewell.parse(JSON.parse(ring.open(sealed, placeInQueue(owner)).reveal()));
