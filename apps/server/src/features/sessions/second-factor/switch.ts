import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { recordAudit } from '../../audit/queries.ts';
import { setMfaEnabled } from '../../accounts/queries.ts';
import { deleteFactor } from './queries.ts';

type Owner = { accountId: string; actor: Actor };

/** The account asks for a code from now on, or no longer does; either way its log says so. */
export const setSecondFactor = async (
  tx: Transaction,
  { accountId, actor }: Owner,
  mfaEnabled: boolean,
): Promise<void> => {
  await setMfaEnabled(tx, accountId, mfaEnabled);
  await recordAudit(tx, {
    accountId,
    actor,
    action: 'account.update',
    subject: { type: 'account', id: accountId },
    changes: { mfaEnabled },
  });
};

export const removeSecondFactor = async (tx: Transaction, owner: Owner): Promise<void> => {
  await deleteFactor(tx, owner.accountId);
  await setSecondFactor(tx, owner, false);
};
