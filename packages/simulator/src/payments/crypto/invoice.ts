import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';

/** Paying: the coins were sent and are not confirmed yet. The provider's older API says Confirming. */
export type CryptoStatus = 'New' | 'Paying' | 'Paid' | 'Expired' | 'Failed';

export type CryptoInvoice = {
  trackId: string;
  merchantKey: string;
  status: CryptoStatus;
  /** Unchanged, so that callbacks carry exactly what was requested. */
  amount: number;
  currency: string;
  orderId: string | null;
  description: string | null;
  email: string | null;
  callbackUrl: string | null;
  redirectUrl: string | null;
  lifetimeMinutes: number;
  createdAt: number;
  expiresAt: number;
  url: string;
  /** Expires the invoice at the end of its lifetime. */
  expiry?: ReturnType<typeof setTimeout>;
};

const webUrl = z.url({ protocol: /^https?$/ }).max(2000);

/** Other fields are ignored, as at the real provider. */
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
  const trackId = String(randomInt(100_000_000, 1_000_000_000));
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
    redirectUrl: body.return_url ?? null,
    lifetimeMinutes: body.lifetime,
    createdAt: now,
    expiresAt: now + body.lifetime * 60,
    url: `${origin}/pay/crypto/${trackId}`,
  };
};

export const cryptoActions = ['send', 'confirm', 'expire', 'fail'] as const;
export type CryptoAction = (typeof cryptoActions)[number];

const transitions: Record<CryptoAction, { from: CryptoStatus[]; to: CryptoStatus }> = {
  send: { from: ['New'], to: 'Paying' },
  confirm: { from: ['Paying'], to: 'Paid' },
  expire: { from: ['New', 'Paying'], to: 'Expired' },
  fail: { from: ['Paying'], to: 'Failed' },
};

export const canTransition = ({ status }: CryptoInvoice, action: CryptoAction): boolean =>
  transitions[action].from.includes(status);

/** Applies the action and returns the callback for the merchant; undefined if it does not apply. */
export const transitionInvoice = (invoice: CryptoInvoice, action: CryptoAction, now: number) => {
  if (!canTransition(invoice, action)) return undefined;
  invoice.status = transitions[action].to;
  const body = JSON.stringify(callbackBody(invoice, now));
  return { id: `${invoice.trackId}:${invoice.status}`, type: invoice.status, body };
};

const callbackBody = (invoice: CryptoInvoice, now: number) => ({
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
  tx_hash: randomBytes(32).toString('hex'),
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

/** The invoice as the API returns it. */
export const invoiceRecord = (invoice: CryptoInvoice) => ({
  track_id: invoice.trackId,
  type: 'invoice',
  amount: invoice.amount,
  currency: invoice.currency,
  status: invoice.status.toLowerCase(),
  callback_url: invoice.callbackUrl,
  return_url: invoice.redirectUrl,
  order_id: invoice.orderId,
  description: invoice.description,
  lifetime: invoice.lifetimeMinutes,
  expired_at: invoice.expiresAt,
  date: invoice.createdAt,
});
