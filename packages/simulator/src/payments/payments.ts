import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { CardEvent } from './card/event.ts';
import { createPrices } from './card/prices.ts';
import type { Session } from './card/session.ts';
import type { CustomerAccount, Invoice, Schedule, Subscription } from './card/subscription.ts';
import type { CryptoInvoice } from './crypto/invoice.ts';
import { createDeliveries, type OutgoingEvent } from './deliveries.ts';

/** Where the card provider sends its events, and the secrets with which both providers sign. */
type PaymentSettings = {
  webhookUrl?: string;
  signingSecret?: string;
  /** If not set, the key that created an invoice signs for it, as at the real provider. */
  merchantSecret?: string;
};

/** After this a browser that has paid is redirected even if the merchant has not answered. */
const notifyTimeoutMs = 10_000;

export type Payments = ReturnType<typeof createPayments>;

/** The state of both providers: sessions, invoices and the events they sent. */
export const createPayments = () => {
  const sessions = new Map<string, Session>();
  const invoices = new Map<string, CryptoInvoice>();
  const prices = createPrices();
  const deliveries = createDeliveries();
  let settings: PaymentSettings = {};

  /** Resolves when each event was tried once, or at the timeout. */
  const notify = async (events: OutgoingEvent[]): Promise<void> => {
    const sending = deliveries.send(events);
    if (deliveries.getMode().delayMs > 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, notifyTimeoutMs);
    });
    await Promise.race([sending, timeout]);
    clearTimeout(timer);
  };

  const listSubscriptions = () =>
    [...sessions.values()].flatMap(({ subscription }) => subscription ?? []);

  return {
    sessions,
    invoices,
    prices,
    listSubscriptions,
    findSubscription(id: string): { session: Session; subscription: Subscription } | undefined {
      const session = [...sessions.values()].find(({ subscription }) => subscription?.id === id);
      return session?.subscription ? { session, subscription: session.subscription } : undefined;
    },
    /** Customers that nobody has seen have a new one. */
    accountOf(customerId?: string): CustomerAccount {
      const known = [...sessions.values()].find(
        (session) => customerId !== undefined && session.customerId === customerId,
      );
      return known?.account ?? { balance: 0, pending: [] };
    },
    /** Only a schedule that still manages its subscription. */
    findSchedule(id: string): { subscription: Subscription; schedule: Schedule } | undefined {
      const subscription = listSubscriptions().find(({ schedule }) => schedule?.id === id);
      return subscription?.schedule ? { subscription, schedule: subscription.schedule } : undefined;
    },
    findInvoice(id: string): { subscription: Subscription; invoice: Invoice } | undefined {
      for (const subscription of listSubscriptions()) {
        const invoice = subscription.invoices.find((one) => one.id === id);
        if (invoice) return { subscription, invoice };
      }
      return undefined;
    },
    deliveries,
    getSettings: () => settings,
    changeSettings: (changes: PaymentSettings) => {
      settings = { ...settings, ...changes };
    },
    sendCardEvents: (events: CardEvent[]): Promise<void> =>
      notify(
        events.map(({ id, type, body }) => ({
          ...{ id, type, body },
          provider: 'card',
          url: () => settings.webhookUrl,
          sign: () => ({
            'Stripe-Signature': signCardEvent(body, settings.signingSecret ?? '', Date.now()),
          }),
        })),
      ),
    sendCryptoCallback: (invoice: CryptoInvoice, { id, type, body }: CardEvent): Promise<void> =>
      notify([
        {
          ...{ id, type, body },
          provider: 'crypto',
          url: () => invoice.callbackUrl ?? undefined,
          sign: () => ({
            HMAC: signCryptoCallback(body, settings.merchantSecret ?? invoice.merchantKey),
          }),
        },
      ]),
    stop: () => {
      for (const { expiry } of invoices.values()) clearTimeout(expiry);
      deliveries.stop();
    },
  };
};

/** The card provider's header. It signs the time of sending too, so every attempt needs a new one. */
const signCardEvent = (body: string, secret: string, atMs: number): string => {
  const t = Math.floor(atMs / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  // A test scheme of the real provider, which merchants must ignore.
  return `t=${t},v1=${v1},v0=${randomBytes(32).toString('hex')}`;
};

const signCryptoCallback = (body: string, secret: string): string =>
  createHmac('sha512', secret).update(body).digest('hex');

/** The address at which the caller reached the simulator; its pages have the same. */
export const originOf = (c: Context): string => new URL(c.req.url).origin;
