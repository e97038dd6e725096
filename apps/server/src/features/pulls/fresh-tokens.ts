import { SealBroken } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import { findTokens, type TokenRow } from '../vault/queries.ts';
import { type NoToken, refreshRow } from '../vault/refresh.ts';
import { isUsable } from '../vault/rules.ts';
import type { OpenMember } from './members/queries.ts';
import type { PullWork } from './pull-work.ts';
import { verdictOn } from './rules.ts';

/** False where nobody could tell whether the token can be refreshed. */
export type IsFresh = boolean;

/** Enough that a bucket never waits for a refresh, and few enough to be fair to other pulls. */
const membersAhead = 4;

/** Refreshes what is about to expire a few members ahead of the one who is called. */
export const readAhead = (work: PullWork, members: readonly OpenMember[]) => {
  const begun = new Map<number, Promise<IsFresh>>();
  const begin = (index: number): Promise<IsFresh> | undefined => {
    const member = members[index];
    if (!member) return undefined;
    const fresh = begun.get(index) ?? freshen(work, member);
    // Whoever is never called does not ask for it; who is called hears of the failure.
    fresh.catch(() => undefined);
    begun.set(index, fresh);
    return fresh;
  };
  return async (index: number): Promise<IsFresh> => {
    const fresh = begin(index);
    for (let ahead = 1; ahead <= membersAhead; ahead++) begin(index + ahead);
    return (await fresh) ?? true;
  };
};

const freshen = async (work: PullWork, member: OpenMember): Promise<IsFresh> => {
  const { tokenExpiresAt, attempts } = member;
  const verdict = verdictOn(member);
  const { db, clock } = work.tools;
  const isFine = tokenExpiresAt === null || isUsable(tokenExpiresAt, clock.now());
  if (verdict.result || isFine) return true;
  const { platformId, botId } = verdict;
  const tokens = await findTokens(db, { accountId: work.owner.accountId, botId, platformId });
  if (!tokens || isUsable(tokens.expiresAt, clock.now())) return true;
  return refreshTokens(work, tokens, attempts);
};

/** A client that is refused is asked for once in each round: the platform counts refusals by address. */
export const refreshTokens = async (
  { tools, refusedClients }: PullWork,
  tokens: TokenRow,
  round: number,
): Promise<IsFresh> => {
  const client = `${tokens.botId} ${round}`;
  if (refusedClients.has(client)) return false;
  const refreshed = await refreshRow(tools, tokens).catch((error: unknown): NoToken => {
    if (!(error instanceof SealBroken)) throw error;
    tools.log.error({ err: error, tokensId: tokens.id }, 'a token does not open');
    return { kind: 'unreachable' };
  });
  if (refreshed instanceof Secret) return true;
  if (refreshed.kind === 'clientRefused') refusedClients.add(client);
  return isSettled(refreshed);
};

/** Without a token that could come back, they are told from the vault what becomes of them. */
const isSettled = ({ kind }: NoToken): boolean => kind === 'none' || kind === 'revoked';
