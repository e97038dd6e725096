/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import type { PlatformApp } from '../platform/platform.ts';
import { advanceInvoice } from './crypto-api.ts';
import {
  type CryptoInvoice,
  type CryptoStatus,
  type CryptoStep,
  canTake,
  cryptoSteps,
} from './crypto-invoice.ts';
import { decimalWords } from './money.ts';
import { Choices, Facts, sendNothingHere, sendPage } from './page.tsx';
import type { Payments } from './payments.ts';

const path = '/pay/crypto/:trackId';

/** Where a browser is sent to pay with coins: each button is something that happens on the network. */
export const mountCryptoPages = (app: PlatformApp, payments: Payments): void => {
  app.get(path, (c) => {
    const invoice = payments.invoices.get(c.req.param('trackId'));
    return invoice ? showInvoice(c, invoice) : sendNothingHere(c);
  });
  app.post(path, async (c) => {
    const invoice = payments.invoices.get(c.req.param('trackId'));
    if (!invoice) return sendNothingHere(c);
    const form = await c.req.parseBody();
    const step = cryptoSteps.find((name) => name === form.step);
    if (step) await advanceInvoice(payments, invoice, step);
    return c.redirect(`/pay/crypto/${invoice.trackId}`, 303);
  });
};

const states: Record<CryptoStatus, { title: string; words: string; tone: string }> = {
  New: { title: 'Pay with coins', words: 'Waiting for your coins.', tone: 'quiet' },
  Paying: {
    title: 'Confirming',
    words: 'The coins are on the way. The network has yet to confirm them.',
    tone: 'quiet',
  },
  Paid: { title: 'Paid', words: 'The network has confirmed the payment.', tone: 'good' },
  Expired: { title: 'Expired', words: 'The time to pay is over. Nothing was paid.', tone: 'bad' },
  Failed: { title: 'Failed', words: 'The payment failed. Nothing was paid.', tone: 'bad' },
};

const stepWords: Record<CryptoStep, { words: string; kind?: 'primary' | 'danger' }> = {
  send: { words: 'Send the coins', kind: 'primary' },
  confirm: { words: 'Confirm the payment', kind: 'primary' },
  fail: { words: 'Fail the payment', kind: 'danger' },
  expire: { words: 'Let it expire', kind: 'danger' },
};

const showInvoice = (c: Context, invoice: CryptoInvoice) => {
  const { title, words, tone } = states[invoice.status];
  const choices = cryptoSteps
    .filter((step) => canTake(invoice, step))
    .map((step) => ({ step, ...stepWords[step] }));
  return sendPage(
    c,
    { title },
    <>
      <h1>{title}</h1>
      <p class="amount">{decimalWords(invoice.amount, invoice.currency)}</p>
      <p class={tone} role="status">
        {words}
      </p>
      <Facts
        facts={[
          ...(invoice.description
            ? ([['For', invoice.description]] satisfies [string, string][])
            : []),
          ['Number', invoice.trackId],
          [
            'Open until',
            `${new Date(invoice.expiresAt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
          ],
        ]}
      />
      {choices.length > 0 && (
        <Choices action={`/pay/crypto/${invoice.trackId}`} choices={choices} />
      )}
      {invoice.returnUrl && (
        <p>
          <a href={invoice.returnUrl}>Go back to the shop</a>
        </p>
      )}
    </>,
  );
};
