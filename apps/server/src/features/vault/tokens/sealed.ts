import { z } from 'zod';
import type { KeyRing, Place } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import type { TokenPair } from '../../../platform/oauth/port.ts';

type Owner = { id: string; accountId: string };
type SealedColumn = 'accessToken' | 'refreshToken';
type SealedTokens = Record<SealedColumn, string>;

const placeOf = (column: SealedColumn, { id, accountId }: Owner): Place => ({
  table: 'member_tokens',
  column,
  rowId: id,
  accountId,
});

/** The sealed columns of a row of `member_tokens`. */
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

const revocation = z.object({ platformId: z.string(), token: z.string() });
type Revocation = z.output<typeof revocation>;

const placeInQueue = ({ id, accountId }: Owner): Place => ({
  table: 'vault.revoke',
  // A former name: a seal is bound to this text, so it cannot change.
  column: 'farewell',
  rowId: id,
  accountId,
});

/** A token that is to be revoked, and its owner: sealed, since it passes through the queue. */
export const sealRevocation = (ring: KeyRing, owner: Owner, contents: Revocation): string =>
  ring.seal(new Secret(JSON.stringify(contents)), placeInQueue(owner));

export const openRevocation = (ring: KeyRing, owner: Owner, sealed: string): Revocation =>
  revocation.parse(JSON.parse(ring.open(sealed, placeInQueue(owner)).reveal()));
