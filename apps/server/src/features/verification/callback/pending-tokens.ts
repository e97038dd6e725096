import type { Database } from '../../../db/connect.ts';
import type { Log } from '../../../kernel/log.ts';
import { type KeyRing, type Place, SealBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { OAuthClient, PlatformOAuth, TokenPair } from '../../../platform/oauth/port.ts';
import type { Queue } from '../../../queue/queue.ts';
import { useBotClient } from '../../bots/use/use-bot.ts';
import {
  clearPendingTokens,
  findPendingTokens,
  isConsentNeeded,
  type PendingTokens,
} from '../queries/pending-verifications.ts';

type Owner = { id: string; accountId: string };
type SealedColumn = 'accessToken' | 'refreshToken';

const placeOf = (column: SealedColumn, { id, accountId }: Owner): Place => ({
  // The former name of `pending_verifications`: a seal is bound to this text, so it cannot change.
  table: 'verification_passages',
  column,
  rowId: id,
  accountId,
});

/** The columns of a pending verification that come from its pair of tokens. */
export const sealPendingTokens = (
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

export const openPendingToken = (
  ring: KeyRing,
  pending: Owner & Record<SealedColumn, string | null>,
  column: SealedColumn,
): Secret => {
  const sealed = pending[column];
  if (sealed === null) throw new Error('The pending verification holds no tokens');
  return ring.open(sealed, placeOf(column, pending));
};

type ClientDependencies = { db: Database; ring: KeyRing; queue: Pick<Queue, 'enqueue'> };

/** Runs `work` as the bot's application; undefined if it is deleted or its secret does not open. */
export const withBotClient = async <Result>(
  dependencies: ClientDependencies,
  owner: { botId: string; accountId: string },
  work: (client: OAuthClient) => Promise<Result>,
): Promise<Result | undefined> => {
  try {
    return await useBotClient(dependencies, owner, work);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};

export type DiscardDependencies = ClientDependencies & { oauth: PlatformOAuth; log: Log };

/** Deletes the tokens, after revoking them at the platform unless other tokens depend on them. */
export const discardPendingTokens = async (
  dependencies: DiscardDependencies,
  pending: Owner,
): Promise<void> => {
  const { db } = dependencies;
  const tokens = await findPendingTokens(db, pending);
  if (!tokens) return;
  if (!(await isConsentNeeded(db, tokens))) await revoke(dependencies, tokens);
  await clearPendingTokens(db, pending);
};

/** Tokens that can never be revoked are left to expire at the platform. */
const revoke = async (dependencies: DiscardDependencies, tokens: PendingTokens): Promise<void> => {
  const { ring, oauth, log } = dependencies;
  try {
    const token = openPendingToken(ring, tokens, 'accessToken');
    await withBotClient(dependencies, tokens, (client) => oauth.revoke({ ...client, token }));
  } catch (failure) {
    const isFinal =
      failure instanceof SealBroken ||
      (failure instanceof PlatformFailure &&
        ['clientRefused', 'grantRevoked', 'refused'].includes(failure.kind));
    if (!isFinal) throw failure;
    log.warn({ err: failure, accountId: tokens.accountId }, 'pending tokens cannot be revoked');
  }
};
