import { marketCurrency } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../audit/queries.ts';
import { post } from '../../billing/ledger/post.ts';
import { lockBalance } from '../../billing/ledger/queries.ts';
import { insertPayout, markPayoutPaid } from '../queries/payouts.ts';
import { type ClearingDependencies, requireEarnings } from './clearing.ts';

/** The ledger account of payouts that were requested and not yet sent. */
const pendingPayouts = 'platform:payouts';
/** The ledger account of payouts that were sent. */
const sentPayouts = 'provider:payouts';

export const requestPayout = async (
  tx: Transaction,
  dependencies: ClearingDependencies,
  { accountId, amountCents }: { accountId: string; amountCents: number },
  actor: Actor,
) => {
  const currency = marketCurrency;
  await requireEarnings(tx, dependencies, { accountId, currency, amountCents });
  const payout = await insertPayout(tx, { id: newId(), accountId, amountCents, currency });
  await post(tx, {
    ...{ type: 'PAYOUT', reference: payout.id, onceKey: `payout:${payout.id}`, currency },
    postings: [
      { accountId, pot: 'EARNED', amountCents: -amountCents },
      { account: pendingPayouts, amountCents },
    ],
  });
  await recordAudit(tx, {
    ...{ accountId, actor, action: 'payout.create' },
    subject: { type: 'payout', id: payout.id },
    changes: { amountCents, currency },
  });
  return payout;
};

/** The operator has sent the money. Undefined where no such payout is pending. */
export const payPayout = async (
  tx: Transaction,
  { id, paidAt }: { id: string; paidAt: Date },
  actor: Actor,
) => {
  const payout = await markPayoutPaid(tx, id, paidAt);
  if (!payout) return undefined;
  const { accountId, amountCents, currency, status } = payout;
  if ((await lockBalance(tx, { accountId, currency, pot: 'EARNED' })) < 0) {
    throw conflict(
      'The seller owes the platform: the payout waits until what they earned is not negative',
    );
  }
  await post(tx, {
    ...{ type: 'PAYOUT', reference: id, onceKey: `payout:${id}:sent`, currency },
    postings: [
      { account: pendingPayouts, amountCents: -amountCents },
      { account: sentPayouts, amountCents },
    ],
  });
  await recordAudit(tx, {
    ...{ accountId, actor, action: 'payout.pay' },
    subject: { type: 'payout', id },
    changes: { status: { from: 'PENDING', to: status } },
  });
  return payout;
};
