import type { CardEvent } from './card-events.ts';
import type { Session } from './card-session.ts';
import type { CryptoInvoice } from './crypto-invoice.ts';
import { createDeliveries, type Notice } from './deliveries.ts';
import { signCardEvent, signCryptoCallback } from './signatures.ts';

/** Where the merchant hears of card payments, and with what both providers sign. */
export type PaymentSettings = {
  webhookUrl?: string;
  signingSecret?: string;
  /** Unless set, the key with which an invoice was made signs for it, as at the real provider. */
  merchantSecret?: string;
};

/** A browser that has paid is sent on after this, heard or not; the real card provider does the same. */
const patienceMs = 10_000;

export type Payments = ReturnType<typeof createPayments>;

/** Both providers, in memory: what was asked of them, and what they told. */
export const createPayments = () => {
  const sessions = new Map<string, Session>();
  const invoices = new Map<string, CryptoInvoice>();
  const deliveries = createDeliveries();
  let settings: PaymentSettings = {};

  /** Resolves when the merchant has heard, or has kept us waiting for too long. */
  const tell = async (notices: Notice[]): Promise<void> => {
    const sending = deliveries.send(notices);
    if (deliveries.getMode().delayMs > 0) return;
    let late: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      late = setTimeout(resolve, patienceMs);
    });
    await Promise.race([sending, patience]);
    clearTimeout(late);
  };

  return {
    sessions,
    invoices,
    deliveries,
    getSettings: () => settings,
    changeSettings: (changes: PaymentSettings) => {
      settings = { ...settings, ...changes };
    },
    tellOfCard: (events: CardEvent[]): Promise<void> =>
      tell(
        events.map(({ id, type, body }) => ({
          ...{ id, type, body },
          provider: 'card',
          url: () => settings.webhookUrl,
          sign: () => ({
            'Stripe-Signature': signCardEvent(body, settings.signingSecret ?? '', Date.now()),
          }),
        })),
      ),
    tellOfCrypto: (invoice: CryptoInvoice, { id, type, body }: CardEvent): Promise<void> =>
      tell([
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
