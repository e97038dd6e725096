import type { tokenStatuses } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { OAuthClient, PlatformOAuth, TokenPair } from '../../../platform/oauth/port.ts';
import type { Queue } from '../../../queue/queue.ts';
import { useBotClient } from '../../bots/use/use-bot.ts';
import {
  claimRefresh,
  deleteRefused,
  findTokens,
  postponeRefresh,
  storeRefreshed,
  type TokenOwner,
  type TokenRow,
} from '../queries.ts';
import { isUsable, longPauseMs, pauseAfterFailure } from '../rules.ts';
import { openToken } from './sealed.ts';
import { tokenColumns } from './store.ts';

type TokenStatus = (typeof tokenStatuses)[number];

export type VaultDependencies = {
  db: Database;
  ring: KeyRing;
  clock: Clock;
  oauth: PlatformOAuth;
  queue: Pick<Queue, 'enqueue'>;
  /** Shows the status of the token in the person's members, which another feature owns. */
  setTokenStatus(tx: Transaction, owner: TokenOwner, status: TokenStatus): Promise<void>;
};

/** Why there is no usable token. `unreachable` is temporary; `clientRefused` needs the bot's owner. */
export type NoToken = { kind: 'none' | 'revoked' | 'unreachable' | 'clientRefused' };
type TokenResult = Secret | NoToken;

/** Long enough for the platform to answer, and short, since no one else can refresh meanwhile. */
const claimMs = 30_000;
const waitMs = 20_000;
const pollMs = 100;

/**
 * A token that can be used now, refreshed first if it is about to expire. Of many requests at once,
 * over all processes, one goes to the platform and the others use what it stored.
 */
export const getUsableToken = async (
  vault: VaultDependencies,
  owner: TokenOwner,
): Promise<TokenResult> => {
  const { db, ring, clock } = vault;
  const row = await findTokens(db, owner);
  if (!row) return { kind: 'none' };
  if (isUsable(row.expiresAt, clock.now())) return openToken(ring, row, 'accessToken');
  return refreshRow(vault, row);
};

/**
 * A new pair in place of the one that was read in this row, whatever its expiry. If the row has changed
 * since, another process refreshed it, and its pair is used.
 */
export const refreshRow = async (vault: VaultDependencies, seen: TokenRow): Promise<TokenResult> =>
  (await claimAndRefresh(vault, seen)) ?? waitForOther(vault, seen);

/** Undefined if another process holds the claim, or the row has changed. */
const claimAndRefresh = async (
  vault: VaultDependencies,
  row: TokenRow,
): Promise<TokenResult | undefined> => {
  const claimEndsAt = performance.now() + claimMs;
  const claimed = await claimRefresh(vault.db, row, claimMs);
  if (!claimed) return undefined;
  try {
    return await refreshClaimed(vault, claimed, claimEndsAt);
  } catch (error) {
    if (error instanceof PlatformFailure) return afterFailure(vault, claimed, error);
    // A fault of ours, which the next minute does not repair.
    await postponeRefresh(vault.db, claimed, longPauseMs);
    throw error;
  }
};

const waitForOther = async (vault: VaultDependencies, seen: TokenRow): Promise<TokenResult> => {
  const giveUpAt = performance.now() + waitMs;
  while (performance.now() < giveUpAt) {
    const row = await findTokens(vault.db, seen);
    if (!row) return { kind: 'revoked' };
    if (row.updatedAt.getTime() !== seen.updatedAt.getTime()) {
      return openToken(vault.ring, row, 'accessToken');
    }
    if (row.refreshingUntil === null) return { kind: 'unreachable' };
    // The process that claimed it has died.
    const isAbandoned = row.refreshingUntil <= vault.clock.now();
    const own = isAbandoned ? await claimAndRefresh(vault, row) : undefined;
    if (own) return own;
    await Bun.sleep(pollMs);
  }
  return { kind: 'unreachable' };
};

const refreshClaimed = async (
  vault: VaultDependencies,
  row: TokenRow,
  claimEndsAt: number,
): Promise<TokenResult> => {
  const outcome = await useBotClient(vault, row, async (client): Promise<TokenResult> => {
    const refreshToken = openToken(vault.ring, row, 'refreshToken');
    // After a long pause of this process, another may hold the claim.
    if (performance.now() > claimEndsAt) return { kind: 'unreachable' };
    const pair = await vault.oauth.refresh({ ...client, refreshToken });
    if (await storePair(vault, row, pair)) return pair.accessToken;
    return discardPair(vault, client, row, pair);
  });
  return outcome ?? { kind: 'none' };
};

/** The old pair is worthless by now, so storing is retried while the claim lasts. */
const storePair = async (
  vault: VaultDependencies,
  row: TokenRow,
  pair: TokenPair,
): Promise<boolean> => {
  const giveUpAt = performance.now() + claimMs / 2;
  for (;;) {
    try {
      return await storeOnce(vault, row, pair);
    } catch (error) {
      if (!isDatabaseFailure(error) || performance.now() > giveUpAt) throw error;
      await Bun.sleep(pollMs);
    }
  }
};

const storeOnce = (
  { db, ring, clock, setTokenStatus }: VaultDependencies,
  row: TokenRow,
  pair: TokenPair,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const isStored = await storeRefreshed(tx, row, tokenColumns({ ring, clock }, row, pair));
    if (isStored) await setTokenStatus(tx, row, 'VALID');
    return isStored;
  });

/**
 * The row changed meanwhile. If the person gave newer tokens, those are used, and revoking ours would
 * revoke them too. If the row is deleted, they withdrew their consent, and ours are revoked.
 */
const discardPair = async (
  vault: VaultDependencies,
  client: OAuthClient,
  row: TokenRow,
  { accessToken }: TokenPair,
): Promise<TokenResult> => {
  const newer = await findTokens(vault.db, row);
  if (newer) return openToken(vault.ring, newer, 'accessToken');
  await vault.oauth.revoke({ ...client, token: accessToken });
  return { kind: 'none' };
};

/** Undefined where the row has changed meanwhile: the failure is not that of the tokens it has now. */
const afterFailure = (
  { db, clock, setTokenStatus }: VaultDependencies,
  row: TokenRow,
  { kind, retryAfterMs }: PlatformFailure,
): Promise<NoToken | undefined> =>
  db.transaction(async (tx) => {
    if (kind === 'grantRevoked') {
      if (!(await deleteRefused(tx, row))) return undefined;
      await setTokenStatus(tx, row, 'REVOKED');
      return { kind: 'revoked' };
    }
    const needsOwner = kind === 'clientRefused';
    const pauseMs = needsOwner ? longPauseMs : pauseAfterFailure(retryAfterMs);
    if (!(await postponeRefresh(tx, row, pauseMs))) return undefined;
    if (row.expiresAt <= clock.now()) await setTokenStatus(tx, row, 'EXPIRED');
    return { kind: needsOwner ? 'clientRefused' : 'unreachable' };
  });
