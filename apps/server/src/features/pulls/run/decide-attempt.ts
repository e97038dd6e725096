import type { PullResult } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { findTokens, type TokenRow } from '../../vault/queries.ts';
import { isUsable } from '../../vault/rules.ts';
import { findAttempt } from '../queries/members.ts';
import { checkPullable } from '../rules.ts';
import type { PullRun } from './pull-run.ts';
import { PullRefused, requireSameTarget } from './target.ts';

type Decision =
  | { do: 'end'; result: PullResult }
  /** Their token has expired, or soon will. */
  | { do: 'refresh'; tokens: TokenRow }
  | AddDecision
  /** They have a result already. */
  | { do: 'nothing' };

export type AddDecision = {
  do: 'add';
  platformId: string;
  botId: string;
  tokens: TokenRow;
  /** A call was made before whose outcome is unknown. */
  isRepeated: boolean;
};

/** What is to be done about a member by the state at this moment. Throws where the pull is to stop. */
export const decideAttempt = async (
  tx: Transaction,
  { dependencies, owner, target }: PullRun,
  seq: number,
): Promise<Decision> => {
  const state = await findAttempt(tx, owner, seq);
  requireSameTarget(state, target);
  if (!state.isTargetBotActive) throw new PullRefused('The bot is switched off');
  if (state.seq === null) return { do: 'nothing' };
  const check = checkPullable(state);
  if (check.result) return { do: 'end', result: check.result };
  const { platformId, botId } = check;
  const tokens = await findTokens(tx, { accountId: owner.accountId, botId, platformId });
  if (!tokens) return { do: 'end', result: 'tokenInvalid' };
  if (!isUsable(tokens.expiresAt, dependencies.clock.now())) return { do: 'refresh', tokens };
  return { do: 'add', platformId, botId, tokens, isRepeated: state.begunAt !== null };
};
