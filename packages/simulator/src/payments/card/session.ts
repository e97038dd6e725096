import { z } from 'zod';
import { newCardId } from './card-id.ts';
import { itemOf, type Price, type Prices, priceData } from './prices.ts';
import type { CustomerAccount, LineItem, Subscription } from './subscription.ts';

export type Charge = { id: string; amount: number; refunded: number; dispute?: Dispute };

export type Dispute = { id: string; status: 'needs_response' | 'won' | 'lost'; createdAt: number };

export type Session = {
  id: string;
  createdAt: number;
  expiresAt: number;
  mode: 'payment' | 'subscription';
  status: 'open' | 'complete' | 'expired';
  currency: string;
  items: LineItem[];
  metadata: Record<string, string>;
  subscriptionMetadata: Record<string, string>;
  clientReferenceId: string | null;
  customerId: string | null;
  customerEmail: string | null;
  account: CustomerAccount;
  successUrl: string;
  cancelUrl: string | null;
  url: string;
  isDeclined: boolean;
  /** How a payment by a delayed method stands that has not arrived. */
  delayed: 'waiting' | 'failed' | null;
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
  price: text.optional(),
  price_data: priceData.optional(),
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

type FormError = { message: string; param: string; code?: string };

/** The prices that the form names, and those that it brings. */
export const readPrices = (form: SessionForm, prices: Prices): Price[] | FormError => {
  const found: Price[] = [];
  for (const [index, { price: id, price_data }] of form.line_items.entries()) {
    const param = `line_items[${index}][price]`;
    if ((id === undefined) === (price_data === undefined)) {
      return { message: 'You must specify either `price` or `price_data`.', param: 'line_items' };
    }
    const price = price_data ? prices.addInline(price_data) : prices.find(id ?? '');
    if (!price) return { message: `No such price: '${id}'`, param, code: 'resource_missing' };
    found.push(price);
  }
  return found;
};

/** The rules that the schema cannot express, with the provider's messages. */
export const validateForm = (
  form: SessionForm,
  prices: readonly Price[],
  now: number,
): FormError | undefined => {
  if (new Set(prices.map(({ currency }) => currency)).size > 1) {
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

export const newSession = (
  form: SessionForm,
  prices: readonly Price[],
  now: number,
  { origin, account }: Pick<Session, 'account'> & { origin: string },
): Session => {
  const id = newCardId('cs_test');
  return {
    id,
    createdAt: now,
    expiresAt: form.expires_at ?? now + daySeconds,
    mode: form.mode,
    status: 'open',
    currency: prices[0]?.currency ?? 'usd',
    items: prices.map((price, index) => ({
      ...itemOf(price),
      quantity: form.line_items[index]?.quantity ?? 1,
    })),
    metadata: form.metadata,
    subscriptionMetadata: form.subscription_data?.metadata ?? {},
    clientReferenceId: form.client_reference_id ?? null,
    customerId: form.customer ?? null,
    customerEmail: form.customer_email ?? null,
    account,
    successUrl: form.success_url.replaceAll('{CHECKOUT_SESSION_ID}', id),
    cancelUrl: form.cancel_url ?? null,
    url: `${origin}/pay/card/${id}`,
    isDeclined: false,
    delayed: null,
    subscription: null,
    charge: null,
  };
};

export const statusOf = (
  { status, expiresAt }: Session,
  now: number,
): 'open' | 'complete' | 'expired' => (status === 'open' && now >= expiresAt ? 'expired' : status);
