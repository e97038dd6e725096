import type { Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { type KeyRing, SealBroken } from '../../kernel/seal.ts';
import type { Queue } from '../../queue/queue.ts';
import { revokeTokens } from './jobs.ts';
import { deleteTokens, type TokenOwner, type TokenRow } from './queries.ts';
import { openToken, sealFarewell } from './sealed.ts';

export type ForgetTools = { ring: KeyRing; queue: Pick<Queue, 'enqueue'> };

/**
 * Deletes a person's tokens in the caller's transaction and has them revoked at the platform
 * afterwards. The queue holds the token sealed, and nothing that names the person.
 */
export const forgetTokens = async (
  tx: Transaction,
  { ring, queue }: ForgetTools,
  owner: TokenOwner,
): Promise<boolean> => {
  const row = await deleteTokens(tx, owner);
  if (!row) return false;
  const id = newId();
  const sealed = sealRefreshToken(ring, id, row);
  const { accountId, botId } = row;
  if (sealed !== undefined) await queue.enqueue(tx, revokeTokens, { id, accountId, botId, sealed });
  return true;
};

/** Undefined for one that does not open any more: it cannot be used, nor revoked. */
const sealRefreshToken = (ring: KeyRing, id: string, row: TokenRow): string | undefined => {
  try {
    const token = openToken(ring, row, 'refreshToken').reveal();
    return sealFarewell(ring, { id, accountId: row.accountId }, { platformId: row.platformId, token });
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};
