import type { PullResult } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import { findTokens, type TokenRow } from '../vault/queries.ts';
import { isUsable } from '../vault/rules.ts';
import { demandOnCourse } from './course.ts';
import { lookAt } from './members/queries.ts';
import { PullRefused, type PullWork } from './pull-work.ts';
import { verdictOn } from './rules.ts';

export type Decision =
  | { do: 'end'; result: PullResult }
  /** Their token is over, or soon will be. */
  | { do: 'refresh'; tokens: TokenRow }
  | Calling
  /** They have a result. */
  | { do: 'nothing' };

export type Calling = {
  do: 'call';
  platformId: string;
  botId: string;
  tokens: TokenRow;
  /** A call left before whose outcome nobody knows. */
  isRepeated: boolean;
};

/** What is to be done about a member, as all stands at this moment. Throws where the pull is to stop. */
export const decide = async (
  tx: Transaction,
  { tools, owner, target }: PullWork,
  seq: number,
): Promise<Decision> => {
  const look = await lookAt(tx, owner, seq);
  demandOnCourse(look, target);
  if (!look.isTargetBotActive) throw new PullRefused('The bot is switched off');
  if (look.seq === null) return { do: 'nothing' };
  const verdict = verdictOn(look);
  if (verdict.result) return { do: 'end', result: verdict.result };
  const { platformId, botId } = verdict;
  const tokens = await findTokens(tx, { accountId: owner.accountId, botId, platformId });
  if (!tokens) return { do: 'end', result: 'tokenInvalid' };
  if (!isUsable(tokens.expiresAt, tools.clock.now())) return { do: 'refresh', tokens };
  return { do: 'call', platformId, botId, tokens, isRepeated: look.begunAt !== null };
};
