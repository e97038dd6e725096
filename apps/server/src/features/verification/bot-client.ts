import { SealBroken } from '../../kernel/seal.ts';
import type { OAuthClient } from '../../platform/port-oauth.ts';
import { useBotClient } from '../bots/use-client.ts';
import type { VerificationTools } from './tools.ts';

/**
 * Works as the application in whose name people are asked; undefined where it is gone or its secret
 * cannot be read.
 */
export const withBotClient = async <Outcome>(
  tools: Pick<VerificationTools, 'db' | 'ring'>,
  owner: { botId: string; accountId: string },
  work: (client: OAuthClient) => Promise<Outcome>,
): Promise<Outcome | undefined> => {
  try {
    return await useBotClient(tools, owner, work);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};
