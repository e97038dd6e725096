import type { Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { TokenPair } from '../../../platform/oauth/port.ts';
import { lockTokens, putFirstTokens, putTokens, type TokenOwner } from '../queries.ts';
import { refreshMoment } from '../rules.ts';
import { sealTokens } from './sealed.ts';

type StoreDependencies = { ring: KeyRing; clock: Clock };

/** A second one is needed if the person's first tokens are stored twice at the same moment. */
const mostTries = 3;

/**
 * Stores the tokens that a person just gave, in the transaction that verifies them. Call it before
 * the member is written: a transaction that locks both locks the tokens first.
 */
export const storeTokens = async (
  tx: Transaction,
  dependencies: StoreDependencies,
  owner: TokenOwner,
  pair: TokenPair,
): Promise<void> => {
  for (let tries = 0; tries < mostTries; tries++) {
    const id = (await lockTokens(tx, owner)) ?? newId();
    const columns = tokenColumns(dependencies, { id, accountId: owner.accountId }, pair);
    if (await putTokens(tx, { id, ...owner, ...columns })) return;
  }
  throw new Error('The tokens could not be stored');
};

/** The columns of a row that come from its pair. */
export const tokenColumns = (
  { ring, clock }: StoreDependencies,
  row: { id: string; accountId: string },
  pair: TokenPair,
) => {
  const { scopes, expiresAt } = pair;
  const refreshAt = refreshMoment(clock.now(), expiresAt, Math.random());
  return { ...sealTokens(ring, row, pair), scopes, expiresAt, refreshAt };
};

const rowsAtATime = 500;

type GivenPair = TokenPair & Pick<TokenOwner, 'platformId'>;

/**
 * Stores the tokens of many people who gave this bot none before; returns how many were stored. Call
 * it before the members are written, as `storeTokens`.
 */
export const storeFirstTokens = async (
  tx: Transaction,
  dependencies: StoreDependencies,
  owner: Omit<TokenOwner, 'platformId'>,
  pairs: GivenPair[],
): Promise<number> => {
  const { accountId } = owner;
  const rowOf = ({ platformId, ...pair }: GivenPair) => {
    const id = newId();
    return { id, platformId, ...tokenColumns(dependencies, { id, accountId }, pair) };
  };
  let stored = 0;
  for (let first = 0; first < pairs.length; first += rowsAtATime) {
    const some = pairs.slice(first, first + rowsAtATime);
    stored += await putFirstTokens(tx, owner, some.map(rowOf));
  }
  return stored;
};
