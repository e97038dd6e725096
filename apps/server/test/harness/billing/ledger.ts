import { expect } from 'bun:test';
import type { Database } from '../../../src/db/connect.ts';

type Sum = { account: string; cents: number };

/** What each account holds by its postings. */
export const accountsOf = async (db: Database): Promise<Map<string, number>> => {
  const rows: Sum[] = await db.$client`
    select account, sum(amount_cents)::float8 as cents from ledger_postings group by account`;
  return new Map(rows.map(({ account, cents }) => [account, cents]));
};

/** The escrow of one order. */
export const escrowOf = async (db: Database, orderId: string): Promise<number> => {
  const [row] = await db.$client`
    select coalesce(sum(amount_cents), 0)::float8 as cents from ledger_postings
    join ledger_transactions on ledger_transactions.id = transaction_id
    where account = 'platform:escrow' and reference = ${orderId}`;
  return row.cents;
};

/**
 * Everything adds up to nothing, nobody owes but sellers whose sale was refunded, each balance is what its
 * postings say, and for each order exactly that is held which is neither the seller's nor given back.
 */
export const expectSoundLedger = async (db: Database): Promise<void> => {
  const [total] = await db.$client`
    select coalesce(sum(amount_cents), 0)::float8 as cents from ledger_postings`;
  expect(total.cents).toBe(0);
  const owing = await db.$client`
    select * from ledger_balances as balances where balance_cents < 0 and not exists (
      select from ledger_postings as postings
      join ledger_transactions on ledger_transactions.id = transaction_id
      where postings.account_id = balances.account_id and type in ('REFUND', 'ADJUSTMENT')
        and postings.pot = 'EARNED' and amount_cents < 0)`;
  expect([...owing]).toEqual([]);
  const wrong = await db.$client`
    select balances.account_id, balances.pot, balances.balance_cents, sum(amount_cents)
    from ledger_balances as balances
    join ledger_postings as postings on postings.account_id = balances.account_id
      and postings.currency = balances.currency and postings.pot = balances.pot
    group by 1, 2, 3, balances.currency having balances.balance_cents <> sum(amount_cents)`;
  expect([...wrong]).toEqual([]);
  await expectEntriesFollow(db);
  await expectOnlyEarnedLeft(db);
  const misheld = await db.$client`
    select orders.id, status, total_cents, refunded_cents, held from orders, lateral (
      select coalesce(sum(amount_cents), 0) as held from ledger_postings
      join ledger_transactions on ledger_transactions.id = transaction_id
      where account = 'platform:escrow' and reference = orders.id::text
    ) as escrow
    where held <> case when status in ('PAID', 'FULFILLING') or is_disputed then total_cents - refunded_cents else 0 end`;
  expect([...misheld]).toEqual([]);
};

/**
 * What we think the card provider has of ours is what came there for orders, less what went back from
 * there: no refund made money or lost it. Holds once all payments are told.
 */
export const expectCardAddsUp = async (db: Database): Promise<void> => {
  const [told] = await db.$client`
    select (select coalesce(sum(amount_cents), 0)::float8 from order_payments where provider = 'CARD') as paid,
      (select coalesce(sum(refunded_cents), 0)::float8 from billing_charges) as refunded`;
  expect(-((await accountsOf(db)).get('provider:card') ?? 0)).toBe(told.paid - told.refunded);
};

type Sold = { total: number; refunded: number; fee: number };

/**
 * What somebody has earned is what was given to them, and what their completed sales left them that nobody
 * disputes, less the fees, what they bought, and what was paid out or is to be. Returns what the sales left, and
 * what went to other accounts or out of the service.
 */
export const expectOnlySalesEarned = async (
  db: Database,
  { accountId, givenCents }: { accountId: string; givenCents: number },
): Promise<{ salesCents: number; spentCents: number }> => {
  const sold: Sold[] = await db.$client`
    select total_cents::float8 as total, refunded_cents::float8 as refunded, fee_cents::float8 as fee
    from orders where seller_id = ${accountId} and completed_at is not null and not is_disputed`;
  const [spent] = await db.$client`
    select (select coalesce(sum(total_cents), 0)::float8 from orders
        where buyer_id = ${accountId} and pay_with = 'BALANCE') as orders,
      (select coalesce(sum(amount_cents), 0)::float8 from payouts where account_id = ${accountId}) as payouts,
      (select coalesce(-sum(ledger_postings.amount_cents), 0)::float8 from ledger_postings
        join ledger_transactions on ledger_transactions.id = transaction_id
        join billing_invoices on billing_invoices.id::text = reference
        where ledger_postings.account_id = ${accountId} and pot = 'EARNED') as plans,
      (select coalesce(sum(balance_cents), 0)::float8 from ledger_balances
        where account_id = ${accountId} and pot = 'EARNED') as earned`;
  const salesCents = sold.reduce((sum, order) => sum + keptOf(order), 0);
  const spentCents = spent.orders + spent.payouts;
  expect(spent.earned).toBe(givenCents + salesCents - spentCents - spent.plans);
  return { salesCents, spentCents };
};

const keptOf = ({ total, refunded, fee }: Sold): number => {
  const left = Math.max(0, total - refunded);
  if (left === 0 || fee === 0) return left;
  return left - Math.max(1, Math.round((fee * left) / total));
};

/** Each entry says what its own pot held after it. */
const expectEntriesFollow = async (db: Database): Promise<void> => {
  const broken = await db.$client`
    select seq from (
      select seq, balance_cents, sum(amount_cents) over (
        partition by account_id, currency, pot order by seq) as running
      from ledger_postings where account_id is not null
    ) as entries where balance_cents <> running`;
  expect([...broken]).toEqual([]);
};

/** Credit came in and paid plans; it never bought anything, was never paid out, and is never owed. */
const expectOnlyEarnedLeft = async (db: Database): Promise<void> => {
  const left = await db.$client`
    select distinct type, other.account from ledger_postings as credit
    join ledger_transactions as moved on moved.id = credit.transaction_id
    join ledger_postings as other on other.transaction_id = moved.id and other.account_id is null
    where credit.pot = 'CREDIT' and credit.amount_cents < 0 and other.amount_cents > 0
      and other.account in ('platform:payouts', 'provider:payouts', 'platform:fees')`;
  expect([...left]).toEqual([]);
  const between = await db.$client`
    select credit.transaction_id from ledger_postings as credit
    join ledger_postings as earned on earned.transaction_id = credit.transaction_id
      and earned.pot = 'EARNED' and earned.amount_cents > 0
    join ledger_transactions as moved on moved.id = credit.transaction_id
    where credit.pot = 'CREDIT' and moved.reference <> 'pots'`;
  expect([...between]).toEqual([]);
  const bought = await db.$client`
    select credit.seq from ledger_postings as credit
    join ledger_transactions as moved on moved.id = credit.transaction_id
    join orders on orders.id::text = moved.reference
    where credit.pot = 'CREDIT' and moved.type = 'PURCHASE'`;
  expect([...bought]).toEqual([]);
};
