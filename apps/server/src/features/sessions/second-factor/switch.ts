import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { recordAudit } from '../../audit/queries.ts';
import { setMfaEnabled } from '../../users/queries.ts';
import { deleteFactor } from './queries.ts';

type Owner = { userId: string; actor: Actor };

/** The account asks for a code from now on, or no longer does; either way its log says so. */
export const setSecondFactor = async (
  tx: Transaction,
  { userId, actor }: Owner,
  mfaEnabled: boolean,
): Promise<void> => {
  await setMfaEnabled(tx, userId, mfaEnabled);
  await recordAudit(tx, {
    userId,
    actor,
    action: 'account.update',
    subject: { type: 'account', id: userId },
    changes: { mfaEnabled },
  });
};

export const removeSecondFactor = async (tx: Transaction, owner: Owner): Promise<void> => {
  await deleteFactor(tx, owner.userId);
  await setSecondFactor(tx, owner, false);
};
