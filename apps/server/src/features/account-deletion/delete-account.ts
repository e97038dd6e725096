import { marketCurrency } from '@holdfast/contract';
import { afterCommit, type Transaction } from '../../db/connect.ts';
import type { Actor } from '../../http/handler.ts';
import { invalidField, Refusal, unauthorized } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudits } from '../audit/record-audits.ts';
import { post } from '../billing/ledger/post.ts';
import { lockPots } from '../billing/ledger/queries.ts';
import { cancelCardSubscription } from '../billing/pay/cancel-subscription.ts';
import { closeCheckout } from '../billing/pay/close-checkout.ts';
import { lockOrder } from '../marketplace/orders/queries.ts';
import { settleCancelled } from '../marketplace/orders/settle.ts';
import { statusAfter } from '../marketplace/rules.ts';
import { markServersDeleted } from '../servers/queries.ts';
import { deleteSessionsOfPerson } from '../sessions/queries.ts';
import { forgetPerson, lockWholeAccount } from '../accounts/queries.ts';
import { purgeAccount } from './job-names.ts';
import {
  countOpenOrders,
  countPendingPayouts,
  deleteKeptAnswers,
  deleteKeys,
  listCardSubscriptions,
  listOpenCheckouts,
  listPendingOrders,
  renameTellingOrders,
  unpublishListings,
} from './queries.ts';

export type DeletionTools = {
  queue: Pick<Queue, 'enqueue'>;
  forgetKey(hash: string): void;
};

type Wish = { accountId: string; confirm: string; actor: Actor };

/** Credit that went with the account that held it. */
const forfeited = 'platform:forfeited' as const;

/**
 * Ends an account. What people and providers must no longer be able to do ends in this transaction: every
 * other change of the account was committed before it or is refused after it, and jobs find its servers
 * deleted. What takes long, or is somebody else's to answer, is queued in it. The row of the user stays
 * without a name: the ledger, orders and the audit chain refer to it. Two deletions at once wait for each
 * other; PostgreSQL ends one of them, and its repetition finds the account gone.
 */
export const deleteAccount = async (
  tx: Transaction,
  tools: DeletionTools,
  { accountId, confirm, actor }: Wish,
): Promise<void> => {
  const user = await lockWholeAccount(tx, accountId);
  if (!user) throw unauthorized();
  if (confirm !== user.username) throw invalidField('confirm', 'Must be your username, exactly');
  const cause = { actor, accountId };
  const cancelled = await cancelPending(tx, tools, cause);
  const creditCents = await requireNothingOpen(tx, accountId);
  await unpublishListings(tx, accountId);
  await renameTellingOrders(tx, accountId, user);
  const servers = await markServersDeleted(tx, accountId);
  await endPayments(tx, tools, accountId);
  await endAccess(tx, tools, { accountId, platformId: user.platformId });
  await forfeitCredit(tx, accountId, creditCents);
  const subject = { type: 'account', id: accountId };
  const changes = { servers, forfeitedCents: creditCents, currency: marketCurrency };
  await recordAudits(tx, [
    ...cancelled,
    { accountId, actor, action: 'account.delete', subject, changes },
  ]);
  await forgetPerson(tx, accountId);
  await tools.queue.enqueue(tx, purgeAccount, { accountId });
};

const cancelPending = async (
  tx: Transaction,
  tools: DeletionTools,
  cause: { actor: Actor; accountId: string },
) => {
  const entries = [];
  for (const { id } of await listPendingOrders(tx, cause.accountId)) {
    const order = await lockOrder(tx, id);
    // Paid in the meantime: then it is open.
    if (!order || !statusAfter(order.status, 'cancel')) continue;
    entries.push(...(await settleCancelled(tx, tools, order, cause)).entries);
  }
  return entries;
};

/** Gives what credit there is to forfeit. */
const requireNothingOpen = async (tx: Transaction, accountId: string): Promise<number> => {
  const orders = await countOpenOrders(tx, accountId);
  const payouts = await countPendingPayouts(tx, accountId);
  const { earnedCents, creditCents } = await lockPots(tx, { accountId, currency: marketCurrency });
  if (orders === 0 && payouts === 0 && earnedCents <= 0) return creditCents;
  throw new Refusal(409, 'Orders, payouts or earnings are still open', {
    open: { orders, payouts, earnedCents: Math.max(0, earnedCents) },
  });
};

const endPayments = async (tx: Transaction, { queue }: DeletionTools, accountId: string) => {
  for (const { providerRef } of await listCardSubscriptions(tx, accountId)) {
    await queue.enqueue(tx, cancelCardSubscription, { providerRef });
  }
  for (const { checkoutRef } of await listOpenCheckouts(tx, accountId)) {
    await queue.enqueue(tx, closeCheckout, { checkoutRef });
  }
};

/** Every key and session, with the answers that were kept for repeats of their requests. */
const endAccess = async (
  tx: Transaction,
  { forgetKey }: DeletionTools,
  owner: { accountId: string; platformId: string },
): Promise<void> => {
  await deleteKeptAnswers(tx, owner);
  const hashes = await deleteKeys(tx, owner.accountId);
  await deleteSessionsOfPerson(tx, owner.platformId);
  afterCommit(tx, () => hashes.forEach(forgetKey));
};

const forfeitCredit = async (tx: Transaction, accountId: string, amountCents: number) => {
  if (amountCents === 0) return;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference: 'account', currency: marketCurrency },
    onceKey: `account:${accountId}:forfeit`,
    postings: [
      { accountId, pot: 'CREDIT', amountCents: -amountCents },
      { account: forfeited, amountCents },
    ],
  });
};
