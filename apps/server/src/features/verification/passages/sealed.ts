import type { KeyRing, Place } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { TokenPair } from '../../../platform/port-oauth.ts';

type Owner = { id: string; accountId: string };
type SealedColumn = 'accessToken' | 'refreshToken';

const placeOf = (column: SealedColumn, { id, accountId }: Owner): Place => ({
  table: 'verification_passages',
  column,
  rowId: id,
  accountId,
});

/** What a passage keeps of a pair until it is decided: both tokens, sealed into its row. */
export const sealIntoPassage = (
  ring: KeyRing,
  owner: Owner,
  { accessToken, refreshToken, scopes, expiresAt }: TokenPair,
) => ({
  accessToken: ring.seal(accessToken, placeOf('accessToken', owner)),
  refreshToken: ring.seal(refreshToken, placeOf('refreshToken', owner)),
  sealKeyId: ring.sealingKeyId,
  scopes,
  tokenExpiresAt: expiresAt,
});

export const openPassageToken = (
  ring: KeyRing,
  owner: Owner,
  column: SealedColumn,
  sealed: string,
): Secret => ring.open(sealed, placeOf(column, owner));
