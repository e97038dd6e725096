import type { Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { TokenPair } from '../../platform/port-oauth.ts';
import { findTokens, lockTokens, putTokens, type TokenOwner } from './queries.ts';
import { type NoToken, refreshRow, type VaultTools } from './refresh.ts';
import { isUsable, refreshMoment } from './rules.ts';
import { openToken, sealTokens } from './sealed.ts';

/** Enough for one who puts the first tokens of a person at the same moment. */
const attempts = 3;

/**
 * Keeps what a person just agreed to, in the transaction that verifies them. To be called before the
 * members' rows are written: whoever holds both locks the tokens first.
 */
export const keepTokens = async (
  tx: Transaction,
  { ring, clock }: Pick<VaultTools, 'ring' | 'clock'>,
  owner: TokenOwner,
  pair: TokenPair,
): Promise<void> => {
  for (let tried = 0; tried < attempts; tried++) {
    const id = (await lockTokens(tx, owner)) ?? newId();
    const sealed = sealTokens(ring, { id, accountId: owner.accountId }, pair);
    const { scopes, expiresAt } = pair;
    const refreshAt = refreshMoment(clock.now(), expiresAt, Math.random());
    if (await putTokens(tx, { id, ...owner, ...sealed, scopes, expiresAt, refreshAt })) return;
  }
  throw new Error('The tokens could not be put');
};

/**
 * A token that can be used now, refreshed first where need be. Of many who ask at once, over all
 * processes, one goes to the platform and the others take what it brought.
 */
export const freshToken = async (
  tools: VaultTools,
  owner: TokenOwner,
): Promise<Secret | NoToken> => {
  const row = await findTokens(tools.db, owner);
  if (!row) return { kind: 'none' };
  if (isUsable(row.expiresAt, tools.clock.now())) return openToken(tools.ring, row, 'accessToken');
  return refreshRow(tools, row);
};
