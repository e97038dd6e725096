import { randomInt } from 'node:crypto';
import { z } from 'zod';

export type LineItem = {
  name: string;
  unitAmount: number;
  quantity: number;
  priceId: string;
  productId: string;
  recurring: { interval: Interval; count: number } | null;
};

export type Interval = 'day' | 'week' | 'month' | 'year';

export type Subscription = {
  id: string;
  itemId: string;
  status: 'incomplete' | 'active' | 'past_due' | 'canceled';
  createdAt: number;
  periodStart: number;
  periodEnd: number;
  endedAt: number | null;
  /** The current invoice and how often its payment was tried. */
  invoice: { id: string; attempts: number };
};

export type Charge = { id: string; amount: number; refunded: number; dispute?: Dispute };

export type Dispute = { id: string; status: 'needs_response' | 'won' | 'lost'; createdAt: number };

/** Times are Unix seconds, amounts the currency's smallest unit, as in the provider's API. */
export type Session = {
  id: string;
  createdAt: number;
  expiresAt: number;
  mode: 'payment' | 'subscription';
  status: 'open' | 'complete' | 'expired';
  currency: string;
  items: [LineItem, ...LineItem[]];
  metadata: Record<string, string>;
  subscriptionMetadata: Record<string, string>;
  clientReferenceId: string | null;
  customerId: string | null;
  customerEmail: string | null;
  successUrl: string;
  cancelUrl: string | null;
  url: string;
  isDeclined: boolean;
  subscription: Subscription | null;
  charge: Charge | null;
};

const text = z.string().min(1).max(5000);
const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'Invalid integer')
  .transform(Number);
const metadata = z.record(z.string().max(40), z.string().max(500)).default({});
const webUrl = z.url({ protocol: /^https?$/, error: 'Not a valid URL' }).max(5000);

const lineItem = z.strictObject({
  price_data: z.strictObject({
    currency: z.string().regex(/^[a-zA-Z]{3}$/, 'Invalid currency'),
    unit_amount: wholeNumber,
    product_data: z.object({ name: text }),
    recurring: z
      .strictObject({
        interval: z.enum(['day', 'week', 'month', 'year']),
        interval_count: wholeNumber.default(1),
      })
      .optional(),
  }),
  quantity: wholeNumber.default(1),
});

/** As the real provider, it refuses parameters it does not know. */
export const sessionForm = z.strictObject({
  mode: z.enum(['payment', 'subscription']),
  line_items: z.tuple([lineItem], lineItem),
  success_url: webUrl,
  cancel_url: webUrl.optional(),
  client_reference_id: z.string().max(200).optional(),
  customer: text.optional(),
  customer_email: z.email().optional(),
  expires_at: wholeNumber.optional(),
  metadata,
  subscription_data: z.strictObject({ metadata, description: text.optional() }).optional(),
  payment_intent_data: z.object({ metadata }).optional(),
  payment_method_types: z.array(text).optional(),
  customer_creation: text.optional(),
  allow_promotion_codes: text.optional(),
  billing_address_collection: text.optional(),
  locale: text.optional(),
  submit_type: text.optional(),
});
type SessionForm = z.output<typeof sessionForm>;

const halfHourSeconds = 30 * 60;
const daySeconds = 24 * 60 * 60;

/** The rules that the schema cannot express, with the provider's messages. */
export const validateForm = (
  form: SessionForm,
  now: number,
): { message: string; param: string } | undefined => {
  const prices = form.line_items.map(({ price_data }) => price_data);
  const currencies = new Set(prices.map(({ currency }) => currency.toLowerCase()));
  if (currencies.size > 1) {
    const message = 'All prices on a Checkout Session must have the same currency.';
    return { message, param: 'line_items' };
  }
  const isRecurring = prices.some(({ recurring }) => recurring);
  if (form.mode === 'subscription' && !isRecurring) {
    const message =
      'You must provide at least one recurring price in `subscription` mode when using prices.';
    return { message, param: 'line_items' };
  }
  if (form.mode === 'payment' && isRecurring) {
    const message = 'You specified `payment` mode but passed a recurring price.';
    return { message, param: 'mode' };
  }
  const lifetime = form.expires_at === undefined ? daySeconds : form.expires_at - now;
  if (lifetime < halfHourSeconds - 60 || lifetime > daySeconds + 60) {
    const message =
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.';
    return { message, param: 'expires_at' };
  }
  return undefined;
};

export const newSession = (form: SessionForm, now: number, origin: string): Session => {
  const id = newCardId('cs_test');
  const [first, ...others] = form.line_items;
  return {
    id,
    createdAt: now,
    expiresAt: form.expires_at ?? now + daySeconds,
    mode: form.mode,
    status: 'open',
    currency: first.price_data.currency.toLowerCase(),
    items: [itemOf(first), ...others.map(itemOf)],
    metadata: form.metadata,
    subscriptionMetadata: form.subscription_data?.metadata ?? {},
    clientReferenceId: form.client_reference_id ?? null,
    customerId: form.customer ?? null,
    customerEmail: form.customer_email ?? null,
    successUrl: form.success_url.replaceAll('{CHECKOUT_SESSION_ID}', id),
    cancelUrl: form.cancel_url ?? null,
    url: `${origin}/pay/card/${id}`,
    isDeclined: false,
    subscription: null,
    charge: null,
  };
};

const itemOf = ({ price_data, quantity }: z.output<typeof lineItem>): LineItem => ({
  name: price_data.product_data.name,
  unitAmount: price_data.unit_amount,
  quantity,
  priceId: newCardId('price'),
  productId: newCardId('prod'),
  recurring: price_data.recurring
    ? { interval: price_data.recurring.interval, count: price_data.recurring.interval_count }
    : null,
});

export const totalOf = ({ items }: Pick<Session, 'items'>): number =>
  items.reduce((sum, { unitAmount, quantity }) => sum + unitAmount * quantity, 0);

export const statusOf = (
  { status, expiresAt }: Session,
  now: number,
): 'open' | 'complete' | 'expired' => (status === 'open' && now >= expiresAt ? 'expired' : status);

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An id in the card provider's format, such as `evt_…`. */
export const newCardId = (prefix: string): string => {
  const characters = Array.from({ length: 24 }, () => alphabet[randomInt(alphabet.length)]);
  return `${prefix}_${characters.join('')}`;
};
