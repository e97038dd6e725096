import type { tokenStatuses } from '@holdfast/contract';
import type { Database, Transaction } from '../../db/connect.ts';
import { isDatabaseFailure } from '../../db/failures.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import type { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { OAuthClient, PlatformOAuth, TokenPair } from '../../platform/port-oauth.ts';
import { useBotClient } from '../bots/use-client.ts';
import {
  claimRefresh,
  deleteRefused,
  findTokens,
  putOffRefresh,
  storeRefreshed,
  type TokenOwner,
  type TokenRow,
} from './queries.ts';
import { longPauseMs, pauseAfterFailure, refreshMoment } from './rules.ts';
import { openToken, sealTokens } from './sealed.ts';

export type VaultTools = {
  db: Database;
  ring: KeyRing;
  clock: Clock;
  oauth: PlatformOAuth;
  /** Tells those who list a person how their token stands. */
  markTokens(
    tx: Transaction,
    owner: TokenOwner,
    status: (typeof tokenStatuses)[number],
  ): Promise<void>;
};

/** Why there is no token to use. `unreachable` may pass; `clientRefused` is for the bot's owner to mend. */
export type NoToken = { kind: 'none' | 'revoked' | 'unreachable' | 'clientRefused' };

/** Long enough for the platform to answer, short enough not to lock a person out for long. */
const claimMs = 30_000;
const waitForOtherMs = 20_000;
const lookEveryMs = 100;

/**
 * A new pair for the one that was seen in this row, whatever its expiry says. Where the row has
 * changed since, somebody else did it, and what they brought is taken.
 */
export const refreshRow = async (tools: VaultTools, seen: TokenRow): Promise<Secret | NoToken> =>
  (await claimAndRefresh(tools, seen)) ?? waitForOther(tools, seen);

/** Undefined where somebody else is at it, or the row has changed. */
const claimAndRefresh = async (
  tools: VaultTools,
  row: TokenRow,
): Promise<Secret | NoToken | undefined> => {
  const claimEndsAt = performance.now() + claimMs;
  const claimed = await claimRefresh(tools.db, row, claimMs);
  if (!claimed) return undefined;
  try {
    return await refreshClaimed(tools, claimed, claimEndsAt);
  } catch (error) {
    if (error instanceof PlatformFailure) return afterFailure(tools, claimed, error);
    // Neither the person's fault nor the platform's, and nothing that a minute would mend.
    await putOffRefresh(tools.db, claimed, longPauseMs);
    throw error;
  }
};

const waitForOther = async (tools: VaultTools, seen: TokenRow): Promise<Secret | NoToken> => {
  const giveUpAt = performance.now() + waitForOtherMs;
  while (performance.now() < giveUpAt) {
    const row = await findTokens(tools.db, seen);
    if (!row) return { kind: 'revoked' };
    if (row.updatedAt.getTime() !== seen.updatedAt.getTime()) {
      return openToken(tools.ring, row, 'accessToken');
    }
    if (row.refreshingUntil === null) return { kind: 'unreachable' };
    // Whoever claimed it died over it.
    const isLeft = row.refreshingUntil <= tools.clock.now();
    const own = isLeft ? await claimAndRefresh(tools, row) : undefined;
    if (own) return own;
    await Bun.sleep(lookEveryMs);
  }
  return { kind: 'unreachable' };
};

const refreshClaimed = async (
  tools: VaultTools,
  row: TokenRow,
  claimEndsAt: number,
): Promise<Secret | NoToken> => {
  const outcome = await useBotClient(tools, row, async (client): Promise<Secret | NoToken> => {
    const refreshToken = openToken(tools.ring, row, 'refreshToken');
    // A process that was stopped meanwhile would ask for what another has claimed since.
    if (performance.now() > claimEndsAt) return { kind: 'unreachable' };
    const pair = await tools.oauth.refresh({ ...client, refreshToken });
    if (await storePair(tools, row, pair)) return pair.accessToken;
    return discardPair(tools, client, row, pair);
  });
  return outcome ?? { kind: 'none' };
};

/** The old pair is gone by now: whatever ails the database, it is asked for as long as the claim lasts. */
const storePair = async (tools: VaultTools, row: TokenRow, pair: TokenPair): Promise<boolean> => {
  const giveUpAt = performance.now() + claimMs / 2;
  for (;;) {
    try {
      return await storeOnce(tools, row, pair);
    } catch (error) {
      if (!isDatabaseFailure(error) || performance.now() > giveUpAt) throw error;
      await Bun.sleep(lookEveryMs);
    }
  }
};

const storeOnce = (
  { db, ring, clock, markTokens }: VaultTools,
  row: TokenRow,
  pair: TokenPair,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { scopes, expiresAt } = pair;
    const refreshAt = refreshMoment(clock.now(), expiresAt, Math.random());
    const changes = { ...sealTokens(ring, row, pair), scopes, expiresAt, refreshAt };
    const isStored = await storeRefreshed(tx, row, changes);
    if (isStored) await markTokens(tx, row, 'VALID');
    return isStored;
  });

/**
 * The row is another by now. If the person gave newer tokens, those count, and ending ours would end
 * theirs; if they took their consent back meanwhile, nobody may keep what we were just given.
 */
const discardPair = async (
  tools: VaultTools,
  client: OAuthClient,
  row: TokenRow,
  { accessToken }: TokenPair,
): Promise<Secret | NoToken> => {
  const present = await findTokens(tools.db, row);
  if (present) return openToken(tools.ring, present, 'accessToken');
  await tools.oauth.revoke({ ...client, token: accessToken });
  return { kind: 'none' };
};

const afterFailure = async (
  { db, clock, markTokens }: VaultTools,
  row: TokenRow,
  { kind, retryAfterMs }: PlatformFailure,
): Promise<NoToken> => {
  if (kind === 'grantRevoked') {
    await db.transaction(async (tx) => {
      if (await deleteRefused(tx, row)) await markTokens(tx, row, 'REVOKED');
    });
    return { kind: 'revoked' };
  }
  const isOwnersMatter = kind === 'clientRefused';
  await putOffRefresh(db, row, isOwnersMatter ? longPauseMs : pauseAfterFailure(retryAfterMs));
  if (row.expiresAt <= clock.now()) {
    await db.transaction((tx) => markTokens(tx, row, 'EXPIRED'));
  }
  return { kind: isOwnersMatter ? 'clientRefused' : 'unreachable' };
};
