import { z } from 'zod';
import { newTrackId, newTransactionHash } from './made-up-ids.ts';

/** Paying is what its older API calls Confirming: the coins are on the way. */
export type CryptoStatus = 'New' | 'Paying' | 'Paid' | 'Expired' | 'Failed';

export type CryptoInvoice = {
  trackId: string;
  merchantKey: string;
  status: CryptoStatus;
  /** As it was asked for, so that it is told as it was asked for. */
  amount: number;
  currency: string;
  orderId: string | null;
  description: string | null;
  email: string | null;
  callbackUrl: string | null;
  returnUrl: string | null;
  lifetimeMinutes: number;
  createdAt: number;
  expiresAt: number;
  url: string;
  /** Ends the invoice when its time is over. */
  expiry?: ReturnType<typeof setTimeout>;
};

const webUrl = z.url({ protocol: /^https?$/ }).max(2000);

/** Fields it knows and makes nothing of are let pass, as at the real one. */
export const invoiceBody = z.object({
  amount: z.coerce.number().positive().max(1e9),
  currency: z
    .string()
    .regex(/^[A-Za-z0-9]{2,10}$/)
    .default('USD'),
  lifetime: z.coerce.number().int().min(15).max(2880).default(60),
  callback_url: webUrl.optional(),
  return_url: webUrl.optional(),
  order_id: z.string().max(200).optional(),
  description: z.string().max(500).optional(),
  email: z.string().max(200).optional(),
});

export const newInvoice = (
  body: z.output<typeof invoiceBody>,
  { merchantKey, now, origin }: { merchantKey: string; now: number; origin: string },
): CryptoInvoice => {
  const trackId = newTrackId();
  return {
    trackId,
    merchantKey,
    status: 'New',
    amount: body.amount,
    currency: body.currency.toUpperCase(),
    orderId: body.order_id ?? null,
    description: body.description ?? null,
    email: body.email ?? null,
    callbackUrl: body.callback_url ?? null,
    returnUrl: body.return_url ?? null,
    lifetimeMinutes: body.lifetime,
    createdAt: now,
    expiresAt: now + body.lifetime * 60,
    url: `${origin}/pay/crypto/${trackId}`,
  };
};

export const cryptoSteps = ['send', 'confirm', 'expire', 'fail'] as const;
export type CryptoStep = (typeof cryptoSteps)[number];

const ways: Record<CryptoStep, { from: CryptoStatus[]; to: CryptoStatus }> = {
  send: { from: ['New'], to: 'Paying' },
  confirm: { from: ['Paying'], to: 'Paid' },
  expire: { from: ['New', 'Paying'], to: 'Expired' },
  fail: { from: ['Paying'], to: 'Failed' },
};

export const canTake = ({ status }: CryptoInvoice, step: CryptoStep): boolean =>
  ways[step].from.includes(status);

/** Takes the step, and gives what the merchant is told of it; undefined where it cannot be taken. */
export const takeCryptoStep = (invoice: CryptoInvoice, step: CryptoStep, now: number) => {
  if (!canTake(invoice, step)) return undefined;
  invoice.status = ways[step].to;
  const body = JSON.stringify(callbackOf(invoice, now));
  return { id: `${invoice.trackId}:${invoice.status}`, type: invoice.status, body };
};

const callbackOf = (invoice: CryptoInvoice, now: number) => ({
  track_id: invoice.trackId,
  status: invoice.status,
  type: 'invoice',
  module_name: 'simulator',
  amount: invoice.amount,
  value: invoice.amount,
  sent_value: hasCoins(invoice) ? invoice.amount : 0,
  currency: invoice.currency,
  order_id: invoice.orderId ?? '',
  email: invoice.email ?? '',
  note: '',
  fee_paid_by_payer: 0,
  under_paid_coverage: 0,
  description: invoice.description ?? '',
  date: now,
  txs: hasCoins(invoice) ? [transactionOf(invoice, now)] : [],
});

const hasCoins = ({ status }: CryptoInvoice): boolean => status === 'Paying' || status === 'Paid';

const transactionOf = (invoice: CryptoInvoice, now: number) => ({
  status: invoice.status === 'Paid' ? 'confirmed' : 'confirming',
  tx_hash: newTransactionHash(),
  sent_amount: invoice.amount,
  received_amount: invoice.amount,
  value: invoice.amount,
  currency: 'USDT',
  network: 'Pretend Network',
  address: `pretend-address-of-${invoice.trackId}`,
  rate: 1,
  confirmations: invoice.status === 'Paid' ? 12 : 1,
  date: now,
});

/** The invoice as the API tells of it. */
export const invoiceRecord = (invoice: CryptoInvoice) => ({
  track_id: invoice.trackId,
  type: 'invoice',
  amount: invoice.amount,
  currency: invoice.currency,
  status: invoice.status.toLowerCase(),
  callback_url: invoice.callbackUrl,
  return_url: invoice.returnUrl,
  order_id: invoice.orderId,
  description: invoice.description,
  lifetime: invoice.lifetimeMinutes,
  expired_at: invoice.expiresAt,
  date: invoice.createdAt,
});
