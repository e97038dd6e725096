import { z } from 'zod';
import { isCleanText } from '../../../http/endpoint/read-input.ts';
import { currencyCode } from '../events/currency.ts';

const text = z
  .union([z.string(), z.number().transform(String)])
  .transform((value) => value.trim())
  .refine((value) => value.length > 0 && value.length <= 200 && isCleanText(value));
const optionalText = text.nullish().catch(null);

/** The cryptocurrency provider spells its fields in two ways. */
const notification = z
  .object({
    trackId: optionalText,
    track_id: optionalText,
    orderId: optionalText,
    order_id: optionalText,
    status: text,
    amount: optionalText,
    currency: currencyCode.nullish().catch(null),
  })
  .transform(({ trackId, track_id, orderId, order_id, status, amount, currency }) => ({
    trackId: trackId ?? track_id ?? null,
    orderId: orderId ?? order_id ?? null,
    status: status.toLowerCase(),
    amountCents: amount ? parseCents(amount) : null,
    currency: currency ?? null,
  }));

/** The provider's names of the states that matter; every other state is only recorded. */
const states = new Map([
  ['paid', 'Paid'],
  ['confirming', 'Confirming'],
  ['paying', 'Confirming'],
  ['expired', 'Expired'],
  ['failed', 'Failed'],
]);

export type Notification = {
  trackId: string;
  orderId: string | null;
  state: string;
  /** Null where it is not an exact number of cents. */
  amountCents: number | null;
  currency: string | null;
};

/** Undefined where the payload is not a notification. */
export const parseNotification = (payload: unknown): Notification | undefined => {
  const parsed = notification.safeParse(payload).data;
  if (!parsed || parsed.trackId === null) return undefined;
  const { trackId, orderId, status, amountCents, currency } = parsed;
  return { trackId, orderId, state: states.get(status) ?? status, amountCents, currency };
};

/** Reviver that keeps amounts as they are written: a binary fraction would round them. */
export const keepAmountText = (
  key: string,
  value: unknown,
  context?: { source?: string },
): unknown =>
  key === 'amount' && typeof value === 'number' ? (context?.source ?? String(value)) : value;

const parseCents = (amount: string): number | null => {
  const [, units, fraction = ''] = amount.match(/^(\d{1,12})(?:\.(\d+))?$/) ?? [];
  if (units === undefined || /[1-9]/.test(fraction.slice(2))) return null;
  return Number(units) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'));
};
