import { newCardId } from './card-id.ts';

/** A price with the product that it is for. */
export type LineItem = {
  name: string;
  unitAmount: number;
  quantity: number;
  priceId: string;
  productId: string;
  recurring: { interval: Interval; count: number } | null;
};

type Interval = 'day' | 'week' | 'month' | 'year';

/** Times are Unix seconds, amounts the currency's smallest unit, as in the provider's API. */
export type Subscription = {
  id: string;
  itemId: string;
  customerId: string;
  customerEmail: string | null;
  currency: string;
  items: LineItem[];
  metadata: Record<string, string>;
  status: 'incomplete' | 'active' | 'past_due' | 'canceled';
  createdAt: number;
  periodStart: number;
  periodEnd: number;
  cancelAtPeriodEnd: boolean;
  canceledAt: number | null;
  endedAt: number | null;
  schedule: Schedule | null;
  /** Whether the customer's bank declines the card now. */
  isCardDeclined: boolean;
  account: CustomerAccount;
  /** The address of the pages that show its invoices. */
  origin: string;
  /** Oldest first; the last one is the current one. */
  invoices: Invoice[];
};

/** What all subscriptions of one customer share. */
export type CustomerAccount = {
  /** Negative where invoices left a credit. */
  balance: number;
  /** For their next invoice. */
  pending: InvoiceLine[];
};

export type Phase = {
  startDate: number;
  endDate: number;
  items: LineItem[];
  metadata: Record<string, string>;
  prorationBehavior: string;
};

export type Schedule = {
  id: string;
  createdAt: number;
  status: 'active' | 'released' | 'canceled';
  subscriptionId: string;
  endBehavior: 'release' | 'cancel';
  phases: Phase[];
};

export type InvoiceLine = {
  id: string;
  description: string;
  amount: number;
  isProration: boolean;
  item: LineItem;
  start: number;
  end: number;
};

export type Invoice = {
  id: string;
  number: string;
  createdAt: number;
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  lines: InvoiceLine[];
  /** The customer's balance that it used: negative where credit was applied. */
  balanceUsed: number;
  attempts: number;
  isPaid: boolean;
  paymentIntent: string | null;
};

export const sumOf = (items: readonly LineItem[]): number =>
  items.reduce((sum, { unitAmount, quantity }) => sum + unitAmount * quantity, 0);

export const currentInvoice = ({ invoices }: Subscription): Invoice => {
  const invoice = invoices.at(-1);
  if (!invoice) throw new Error('A subscription begins with an invoice');
  return invoice;
};

/** An invoice for one whole period. */
export const periodInvoice = (
  subscription: Pick<Subscription, 'items' | 'periodStart' | 'periodEnd'>,
  reason: Invoice['reason'],
  now: number,
): Invoice => ({
  ...newInvoice(reason, now),
  lines: subscription.items.map((item) => ({
    id: newCardId('il'),
    description: `${item.quantity} × ${item.name}`,
    amount: item.unitAmount * item.quantity,
    isProration: false,
    item,
    start: subscription.periodStart,
    end: subscription.periodEnd,
  })),
});

/**
 * The difference between what was paid for the rest of the period and what it costs now, by the second.
 * Without new items only what was not used.
 */
export const prorationInvoice = (
  { items, periodStart, periodEnd }: Pick<Subscription, 'items' | 'periodStart' | 'periodEnd'>,
  newItems: readonly LineItem[],
  now: number,
): Invoice => {
  const share = Math.max(0, periodEnd - now) / (periodEnd - periodStart);
  const line = (item: LineItem, sign: 1 | -1): InvoiceLine => ({
    id: newCardId('il'),
    description: `${sign < 0 ? 'Unused' : 'Remaining'} time on ${item.name} after ${dayOf(now)}`,
    amount: sign * Math.round(item.unitAmount * item.quantity * share),
    isProration: true,
    item,
    start: now,
    end: periodEnd,
  });
  return {
    ...newInvoice('subscription_update', now),
    lines: [...items.map((item) => line(item, -1)), ...newItems.map((item) => line(item, 1))],
  };
};

const newInvoice = (reason: Invoice['reason'], now: number): Omit<Invoice, 'lines'> => ({
  id: newCardId('in'),
  number: `${newCardId('n').slice(2, 10).toUpperCase()}-0001`,
  createdAt: now,
  reason,
  balanceUsed: 0,
  attempts: 0,
  isPaid: false,
  paymentIntent: null,
});

export const totalOfInvoice = ({ lines }: Pick<Invoice, 'lines'>): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0);

/** Never negative: what is left over becomes the customer's credit. */
export const dueOf = (invoice: Pick<Invoice, 'lines' | 'balanceUsed'>): number =>
  Math.max(0, totalOfInvoice(invoice) + invoice.balanceUsed);

const secondsOf: Record<Exclude<Interval, 'month' | 'year'>, number> = {
  day: 86_400,
  week: 604_800,
};

export const endOfPeriod = (items: readonly LineItem[], start: number): number => {
  const { interval, count } = items.find(({ recurring }) => recurring)?.recurring ?? {
    interval: 'month' as const,
    count: 1,
  };
  if (interval === 'day' || interval === 'week') return start + count * secondsOf[interval];
  return addMonths(start, interval === 'year' ? 12 * count : count);
};

/** The same day of that month, or its last day if the month is shorter. */
const addMonths = (start: number, months: number): number => {
  const from = new Date(start * 1000);
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return Math.floor(to.getTime() / 1000);
};

export const dayOf = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    timeZone: 'UTC',
  });
