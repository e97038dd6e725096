import type { Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import type { TokenPair } from '../../platform/port-oauth.ts';
import { putFirstTokens, type TokenOwner } from './queries.ts';
import type { VaultTools } from './refresh.ts';
import { refreshMoment } from './rules.ts';
import { sealTokens } from './sealed.ts';

const rowsAtATime = 500;

export type GivenPair = TokenPair & Pick<TokenOwner, 'platformId'>;

/**
 * Keeps the tokens of many people who gave this bot none before, and gives how many that were. As
 * with `keepTokens`, the members' rows are to be written after.
 */
export const keepFirstTokens = async (
  tx: Transaction,
  { ring, clock }: Pick<VaultTools, 'ring' | 'clock'>,
  owner: Omit<TokenOwner, 'platformId'>,
  given: GivenPair[],
): Promise<number> => {
  const rowOf = ({ platformId, ...pair }: GivenPair) => {
    const id = newId();
    const sealed = sealTokens(ring, { id, accountId: owner.accountId }, pair);
    const { scopes, expiresAt } = pair;
    const refreshAt = refreshMoment(clock.now(), expiresAt, Math.random());
    return { id, platformId, ...sealed, scopes, expiresAt, refreshAt };
  };
  let kept = 0;
  for (let first = 0; first < given.length; first += rowsAtATime) {
    const some = given.slice(first, first + rowsAtATime);
    kept += await putFirstTokens(tx, owner, some.map(rowOf));
  }
  return kept;
};
