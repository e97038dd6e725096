import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { type KeyRing, unlessBroken } from '../../../kernel/seal.ts';
import type { Queue } from '../../../queue/queue.ts';
import { revokeTokens } from '../jobs.ts';
import { deleteTokens, type TokenOwner, type TokenRow } from '../queries.ts';
import { openToken, sealRevocation } from './sealed.ts';

export type DeleteTokensDependencies = { ring: KeyRing; queue: Pick<Queue, 'enqueue'> };

/**
 * Deletes a person's tokens in the caller's transaction; a job then revokes them at the platform. The
 * queue holds the token sealed, and nothing that names the person.
 */
export const deleteAndRevokeTokens = async (
  tx: Transaction,
  { ring, queue }: DeleteTokensDependencies,
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

/** Undefined for a token that does not open any more: it can be neither used nor revoked. */
const sealRefreshToken = (ring: KeyRing, id: string, row: TokenRow): string | undefined => {
  const { accountId, platformId } = row;
  return unlessBroken(() => {
    const token = openToken(ring, row, 'refreshToken').reveal();
    return sealRevocation(ring, { id, accountId }, { platformId, token });
  });
};
