/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import {
  Actions,
  DescriptionList,
  formatAmount,
  sendNotFound,
  sendPage,
} from '../../pages/page.tsx';
import type { PlatformApp } from '../../platform/platform.ts';
import type { Payments } from '../payments.ts';
import {
  type CryptoAction,
  type CryptoInvoice,
  type CryptoStatus,
  canTransition,
  cryptoActions,
} from './invoice.ts';
import { applyCryptoAction } from './routes.ts';

const path = '/pay/crypto/:trackId';

/** The page on which a person pays with coins: each button triggers an event of the network. */
export const mountCryptoPages = (app: PlatformApp, payments: Payments): void => {
  app.get(path, (c) => {
    const invoice = payments.invoices.get(c.req.param('trackId'));
    return invoice ? showInvoice(c, invoice) : sendNotFound(c);
  });
  app.post(path, async (c) => {
    const invoice = payments.invoices.get(c.req.param('trackId'));
    if (!invoice) return sendNotFound(c);
    const form = await c.req.parseBody();
    const step = cryptoActions.find((name) => name === form.step);
    if (step) await applyCryptoAction(payments, invoice, step);
    return c.redirect(`/pay/crypto/${invoice.trackId}`, 303);
  });
};

const statusTexts: Record<CryptoStatus, { title: string; label: string; tone: string }> = {
  New: { title: 'Pay with coins', label: 'Waiting for your coins.', tone: 'quiet' },
  Paying: {
    title: 'Confirming',
    label: 'The coins are on the way. The network has yet to confirm them.',
    tone: 'quiet',
  },
  Paid: { title: 'Paid', label: 'The network has confirmed the payment.', tone: 'good' },
  Expired: { title: 'Expired', label: 'The time to pay is over. Nothing was paid.', tone: 'bad' },
  Failed: { title: 'Failed', label: 'The payment failed. Nothing was paid.', tone: 'bad' },
};

const actionLabels: Record<CryptoAction, { label: string; kind?: 'primary' | 'danger' }> = {
  send: { label: 'Send the coins', kind: 'primary' },
  confirm: { label: 'Confirm the payment', kind: 'primary' },
  fail: { label: 'Fail the payment', kind: 'danger' },
  expire: { label: 'Let it expire', kind: 'danger' },
};

const showInvoice = (c: Context, invoice: CryptoInvoice) => {
  const { title, label, tone } = statusTexts[invoice.status];
  const actions = cryptoActions
    .filter((step) => canTransition(invoice, step))
    .map((step) => ({ step, ...actionLabels[step] }));
  return sendPage(
    c,
    { title },
    <>
      <h1>{title}</h1>
      <p class="amount">{formatAmount(invoice.amount, invoice.currency)}</p>
      <p class={tone} role="status">
        {label}
      </p>
      <DescriptionList rows={rowsOf(invoice)} />
      {actions.length > 0 && <Actions path={`/pay/crypto/${invoice.trackId}`} actions={actions} />}
      {invoice.redirectUrl && (
        <p>
          <a href={invoice.redirectUrl}>Go back to the shop</a>
        </p>
      )}
    </>,
  );
};

const rowsOf = ({ description, trackId, expiresAt }: CryptoInvoice): [string, string][] => {
  const openUntil = new Date(expiresAt * 1000).toISOString().slice(0, 16).replace('T', ' ');
  const rows: [string, string][] = [
    ['Number', trackId],
    ['Open until', `${openUntil} UTC`],
  ];
  return description ? [['For', description], ...rows] : rows;
};
