/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import { z } from 'zod';
import {
  Actions,
  DescriptionList,
  formatMinorUnits,
  sendNotFound,
  sendPage,
} from '../../pages/page.tsx';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import { originOf, type Payments } from '../payments.ts';
import { answer, readForm, refuseMissing } from './api.ts';
import { newCardId } from './card-id.ts';
import { dayOf, dueOf, type Invoice, type Subscription, sumOf } from './subscription.ts';
import { updateSubscription } from './subscription-events.ts';

type PortalSession = { id: string; customerId: string; returnUrl: string | null };

const portalForm = z.strictObject({
  customer: z.string(),
  return_url: z.url({ protocol: /^https?$/ }).optional(),
  configuration: z.string().optional(),
  locale: z.string().optional(),
});

const steps = { cancel: true, resume: false } as const;

/** The provider's own pages for a customer: subscription, invoices, cancelling and resuming. */
export const mountPortal = (app: PlatformApp, payments: Payments): void => {
  const portals = new Map<string, PortalSession>();

  app.post('/v1/billing_portal/sessions', async (c) => {
    const read = await readForm(c, portalForm);
    if ('refusal' in read) return read.refusal;
    const { customer, return_url: returnUrl = null } = read.form;
    if (!payments.listSubscriptions().some(({ customerId }) => customerId === customer)) {
      return refuseMissing(c, 'customer', customer, 'customer');
    }
    const id = newCardId('bps');
    portals.set(id, { id, customerId: customer, returnUrl });
    return answer(c, {
      ...{ id, object: 'billing_portal.session', created: nowSeconds(), customer },
      ...{ configuration: newCardId('bpc'), flow: null, livemode: false, locale: null },
      ...{ on_behalf_of: null, return_url: returnUrl, url: `${originOf(c)}/pay/portal/${id}` },
    });
  });

  app.get('/pay/portal/:id', (c) => {
    const portal = portals.get(c.req.param('id'));
    return portal ? showPortal(c, payments, portal) : sendNotFound(c);
  });

  app.post('/pay/portal/:id', async (c) => {
    const portal = portals.get(c.req.param('id'));
    if (!portal) return sendNotFound(c);
    const { step } = await c.req.parseBody();
    const [action, subscriptionId = ''] = String(step).split(':');
    const found = payments.findSubscription(subscriptionId);
    const isKnown = found?.subscription.customerId === portal.customerId;
    if (found && isKnown && (action === 'cancel' || action === 'resume')) {
      const change = { cancelAtPeriodEnd: steps[action], prorationBehavior: 'none' } as const;
      const events = updateSubscription(found.session, found.subscription, change, nowSeconds());
      if (events !== 'declined') await payments.sendCardEvents(events);
    }
    return c.redirect(`/pay/portal/${portal.id}`, 303);
  });

  app.get('/pay/invoice/:id', (c) => {
    const found = payments.findInvoice(c.req.param('id'));
    return found ? showInvoice(c, found.subscription, found.invoice) : sendNotFound(c);
  });

  app.get('/pay/invoice/:id/pdf', (c) => {
    const found = payments.findInvoice(c.req.param('id'));
    if (!found) return sendNotFound(c);
    const { subscription, invoice } = found;
    c.header('Content-Type', 'application/pdf');
    c.header('Content-Disposition', `attachment; filename="Invoice-${invoice.number}.pdf"`);
    return c.body(pdfOf(invoiceRows(subscription, invoice).map((row) => row.join('   '))));
  });
};

const showPortal = (c: Context, payments: Payments, portal: PortalSession) => {
  const subscriptions = payments
    .listSubscriptions()
    .filter(({ customerId }) => customerId === portal.customerId);
  return sendPage(
    c,
    { title: 'Your subscription' },
    <>
      <h1>Your subscription</h1>
      {subscriptions.map((subscription) => (
        <>
          <DescriptionList rows={subscriptionRows(subscription)} />
          <Actions path={`/pay/portal/${portal.id}`} actions={actionsOf(subscription)} />
        </>
      ))}
      <h2>Invoices</h2>
      <ul>
        {subscriptions.flatMap((subscription) =>
          subscription.invoices.map((invoice) => (
            <li>
              <a href={`/pay/invoice/${invoice.id}`}>
                {dayOf(invoice.createdAt)},{' '}
                {formatMinorUnits(dueOf(invoice), subscription.currency)}
              </a>
            </li>
          )),
        )}
      </ul>
      {portal.returnUrl && (
        <p>
          <a href={portal.returnUrl}>Return to the shop</a>
        </p>
      )}
    </>,
  );
};

const actionsOf = ({ id, status, cancelAtPeriodEnd, schedule }: Subscription) => {
  if (status === 'canceled' || schedule) return [];
  return cancelAtPeriodEnd
    ? [{ step: `resume:${id}`, label: "Don't cancel subscription" }]
    : [{ step: `cancel:${id}`, label: 'Cancel subscription', kind: 'danger' as const }];
};

const subscriptionRows = (subscription: Subscription): [string, string][] => [
  [
    subscription.items.map(({ name }) => name).join(', '),
    formatMinorUnits(sumOf(subscription.items), subscription.currency),
  ],
  ['Status', subscription.status.replace('_', ' ')],
  [
    subscription.cancelAtPeriodEnd ? 'Ends' : 'Renews',
    dayOf(subscription.endedAt ?? subscription.periodEnd),
  ],
];

const invoiceRows = ({ currency }: Subscription, invoice: Invoice): [string, string][] => [
  ['Number', invoice.number],
  ['Date', dayOf(invoice.createdAt)],
  ...invoice.lines.map(({ description, amount }): [string, string] => [
    description,
    formatMinorUnits(amount, currency),
  ]),
  [invoice.isPaid ? 'Paid' : 'Due', formatMinorUnits(dueOf(invoice), currency)],
];

const showInvoice = (c: Context, subscription: Subscription, invoice: Invoice) =>
  sendPage(
    c,
    { title: 'Invoice' },
    <>
      <h1>Invoice {invoice.number}</h1>
      <DescriptionList rows={invoiceRows(subscription, invoice)} />
      <p>
        <a href={`/pay/invoice/${invoice.id}/pdf`}>Download invoice</a>
      </p>
    </>,
  );

/** One page of text: the smallest document that readers accept. */
const pdfOf = (lines: string[]): string => {
  const escaped = lines.map((line) =>
    line
      .replace(/[\\()]/g, '\\$&')
      .replaceAll('×', 'x')
      .replace(/[^\x20-\x7e]/g, '?'),
  );
  const text = ['Invoice', ...escaped].map((line) => `(${line}) Tj T*`).join(' ');
  const content = `BT /F1 12 Tf 18 TL 60 780 Td ${text} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${file}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
};
