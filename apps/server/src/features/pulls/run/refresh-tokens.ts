import { SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { findTokens, type TokenRow } from '../../vault/queries.ts';
import { isUsable } from '../../vault/rules.ts';
import { type NoToken, refreshRow } from '../../vault/tokens/refresh.ts';
import type { OpenMember } from '../queries/members.ts';
import { checkPullable } from '../rules.ts';
import type { PullRun } from './pull-run.ts';

/** Enough that a bucket never waits for a refresh, and few enough to be fair to other pulls. */
const membersAhead = 4;

/**
 * Refreshes tokens that are about to expire, a few members ahead of the one who is added. The result
 * resolves to false where it is unknown whether the member's token can be refreshed.
 */
export const createTokenRefresher = (run: PullRun, members: readonly OpenMember[]) => {
  const begun = new Map<number, Promise<boolean>>();
  const begin = (index: number): Promise<boolean> | undefined => {
    const member = members[index];
    if (!member) return undefined;
    const refresh = begun.get(index) ?? refreshIfNeeded(run, member);
    // A member who is never reached awaits nothing; the one who is reached gets the failure.
    refresh.catch(() => undefined);
    begun.set(index, refresh);
    return refresh;
  };
  return async (index: number): Promise<boolean> => {
    const refresh = begin(index);
    for (let ahead = 1; ahead <= membersAhead; ahead++) begin(index + ahead);
    return (await refresh) ?? true;
  };
};

const refreshIfNeeded = async (run: PullRun, member: OpenMember): Promise<boolean> => {
  const { tokenExpiresAt, attempts } = member;
  const check = checkPullable(member);
  const { db, clock } = run.dependencies;
  const isFine = tokenExpiresAt === null || isUsable(tokenExpiresAt, clock.now());
  if (check.result || isFine) return true;
  const { platformId, botId } = check;
  const tokens = await findTokens(db, { accountId: run.owner.accountId, botId, platformId });
  if (!tokens || isUsable(tokens.expiresAt, clock.now())) return true;
  return refreshTokens(run, tokens, attempts);
};

/** A client that is refused is tried once per round: the platform counts refusals by address. */
export const refreshTokens = async (
  { dependencies, refusedClients }: PullRun,
  tokens: TokenRow,
  round: number,
): Promise<boolean> => {
  const client = `${tokens.botId} ${round}`;
  if (refusedClients.has(client)) return false;
  const refreshed = await refreshRow(dependencies, tokens).catch((error: unknown): NoToken => {
    if (!(error instanceof SealBroken)) throw error;
    dependencies.log.error({ err: error, tokensId: tokens.id }, 'a token does not open');
    return { kind: 'unreachable' };
  });
  if (refreshed instanceof Secret) return true;
  if (refreshed.kind === 'clientRefused') refusedClients.add(client);
  // Without a token that could come back, the vault's state decides the member's result.
  return refreshed.kind === 'none' || refreshed.kind === 'revoked';
};
