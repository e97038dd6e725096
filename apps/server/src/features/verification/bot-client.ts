import { SealBroken } from '../../kernel/seal.ts';
import type { OAuthClient } from '../../platform/port-oauth.ts';
import { clientOf } from '../vault/client-of.ts';
import type { VerificationTools } from './tools.ts';

/** The application in whose name people are asked; undefined where it is gone or cannot be read. */
export const openBotClient = async (
  tools: Pick<VerificationTools, 'db' | 'ring'>,
  owner: { botId: string; userId: string },
): Promise<OAuthClient | undefined> => {
  try {
    return await clientOf(tools, owner);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};
