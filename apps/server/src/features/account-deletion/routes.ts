import { type accountEndpoints, marketCurrency } from '@holdfast/contract';
import { afterCommit, type Transaction } from '../../db/connect.ts';
import type { Actor, Handlers } from '../../http/handler.ts';
import { deleteAnswersOf } from '../../http/queries.ts';
import { HttpError, invalidField, unauthorized } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { anonymizeAccount, lockAccountExclusively } from '../accounts/queries.ts';
import { type AuditedChange, recordAudits } from '../audit/queries.ts';
import { cancelCardSubscription, closeCheckout } from '../billing/card/jobs.ts';
import { post } from '../billing/ledger/post.ts';
import { lockPots } from '../billing/ledger/queries.ts';
import { listOpenCheckouts } from '../billing/queries/invoices.ts';
import { listCardSubscriptions } from '../billing/queries/subscriptions.ts';
import { endAuthorizationsOf } from '../device-login/queries.ts';
import { deleteKeysOfAccount } from '../keys/queries.ts';
import { settleCancelled, settleReturned } from '../marketplace/orders/settle.ts';
import { unpublishListings } from '../marketplace/queries/listings.ts';
import {
  countOpenOrders,
  listUnendedOrders,
  lockOrder,
  renameOrdersNaming,
  type StoredOrder,
} from '../marketplace/queries/orders.ts';
import { countPendingPayouts } from '../marketplace/queries/payouts.ts';
import { endsWithAccount, statusAfter } from '../marketplace/rules.ts';
import { leaveAllGuilds } from '../panels/post/follow-guild.ts';
import { markServersDeleted } from '../servers/queries.ts';
import { deleteSessionsOfPerson } from '../sessions/queries.ts';
import { purgeAccount } from './jobs.ts';
import { selectCallers } from './queries.ts';

type AccountDeletionDependencies = {
  queue: Pick<Queue, 'enqueue'>;
  forgetKey(hash: string): void;
};

export const accountDeletionHandlers = (
  dependencies: AccountDeletionDependencies,
): Handlers<Pick<typeof accountEndpoints, 'deleteAccount'>> => ({
  async deleteAccount(tx, { account: { accountId }, actor, body: { confirm } }) {
    await deleteAccount(tx, dependencies, { accountId, confirm, actor });
    return { id: accountId, deleted: true };
  },
});

type DeletionRequest = { accountId: string; confirm: string; actor: Actor };

/**
 * Everything that people and providers must no longer be able to do ends in this transaction: every other
 * change of the account was committed before it or is refused after it, and jobs find its servers deleted.
 * Slow work and calls to other services are enqueued. The account's row stays without a name, because the
 * ledger, orders and the audit chain refer to it. Of two deletions at once PostgreSQL aborts one, and its
 * retry finds the account deleted.
 */
const deleteAccount = async (
  tx: Transaction,
  dependencies: AccountDeletionDependencies,
  { accountId, confirm, actor }: DeletionRequest,
): Promise<void> => {
  const account = await lockAccountExclusively(tx, accountId);
  if (!account) throw unauthorized();
  if (confirm !== account.username) throw invalidField('confirm', 'Must be your username, exactly');
  const ended = await endOrders(tx, dependencies, { actor, accountId });
  const creditCents = await requireNothingOpen(tx, accountId);
  await unpublishListings(tx, accountId);
  await renameOrdersNaming(tx, accountId, account);
  await leaveAllGuilds(tx, dependencies, accountId);
  const servers = await markServersDeleted(tx, accountId);
  await endPayments(tx, dependencies, accountId);
  await endAccess(tx, dependencies, { accountId, platformId: account.platformId });
  await forfeitCredit(tx, accountId, creditCents);
  const subject = { type: 'account', id: accountId };
  const changes = { servers, forfeitedCents: creditCents, currency: marketCurrency };
  await recordAudits(tx, [
    ...ended,
    { accountId, actor, action: 'account.delete', subject, changes },
  ]);
  await anonymizeAccount(tx, accountId);
  await dependencies.queue.enqueue(tx, purgeAccount, { accountId });
};

/** Those that are unpaid, and those that hold nobody up. All are locked before any money moves. */
const endOrders = async (
  tx: Transaction,
  dependencies: AccountDeletionDependencies,
  cause: { actor: Actor; accountId: string },
): Promise<AuditedChange[]> => {
  const orders: StoredOrder[] = [];
  for (const { id } of await listUnendedOrders(tx, cause.accountId)) {
    const order = await lockOrder(tx, id);
    if (order) orders.push(order);
  }
  const entries: AuditedChange[] = [];
  for (const order of orders) {
    if (statusAfter(order.status, 'cancel')) {
      entries.push(...(await settleCancelled(tx, dependencies, order, cause)).entries);
    } else if (endsWithAccount(order)) {
      entries.push(...(await settleReturned(tx, order, 'refund', cause)).entries);
    }
  }
  return entries;
};

/** Returns the credit that the account forfeits. */
const requireNothingOpen = async (tx: Transaction, accountId: string): Promise<number> => {
  const orders = await countOpenOrders(tx, accountId);
  const payouts = await countPendingPayouts(tx, accountId);
  const { earnedCents, creditCents } = await lockPots(tx, { accountId, currency: marketCurrency });
  if (orders === 0 && payouts === 0 && earnedCents <= 0) return creditCents;
  throw new HttpError(409, 'Orders, payouts or earnings are still open', {
    open: { orders, payouts, earnedCents: Math.max(0, earnedCents) },
  });
};

const endPayments = async (
  tx: Transaction,
  { queue }: AccountDeletionDependencies,
  accountId: string,
): Promise<void> => {
  for (const { providerRef } of await listCardSubscriptions(tx, accountId)) {
    await queue.enqueue(tx, cancelCardSubscription, { providerRef, accountId });
  }
  for (const { checkoutRef } of await listOpenCheckouts(tx, accountId)) {
    await queue.enqueue(tx, closeCheckout, { checkoutRef, accountId });
  }
};

/** Deletes the keys and sessions, after the answers that are stored for repeats of their requests. */
const endAccess = async (
  tx: Transaction,
  { forgetKey }: AccountDeletionDependencies,
  owner: { accountId: string; platformId: string },
): Promise<void> => {
  await deleteAnswersOf(tx, selectCallers(tx, owner));
  const hashes = await deleteKeysOfAccount(tx, owner.accountId);
  await endAuthorizationsOf(tx, owner.accountId);
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
      { account: 'platform:forfeited', amountCents },
    ],
  });
};
