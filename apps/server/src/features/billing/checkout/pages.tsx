/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { nameOfPlan } from '../card/plan-price.ts';
import type { OrderPayments } from '../events/order-payments.ts';
import { findInvoice } from '../queries/invoices.ts';
import { cancelledPath, paidPath } from './open-checkout.ts';

type PageDependencies = { db: Database; orders: Pick<OrderPayments, 'describe'> };

/** The pages to which the providers send the browser back. Only an event proves a payment, not a visit here. */
export const mountCheckoutPages = (app: Hono<HttpEnv>, dependencies: PageDependencies): void => {
  app.get(paidPath, async (context) => {
    const subject = await findSubject(context, dependencies);
    return sendPage(
      context,
      { title: 'Thank you', tone: 'good' },
      <>
        <h1>Thank you</h1>
        {subject && <Subject {...subject} />}
        <p role="status">{subject?.isPaid ? subject.paidText : waitingText}</p>
        <Back {...(subject ?? plain)} />
      </>,
    );
  });
  app.get(cancelledPath, async (context) => {
    const subject = await findSubject(context, dependencies);
    return sendPage(
      context,
      { title: 'Nothing was paid' },
      <>
        <h1>Nothing was paid</h1>
        {subject && <Subject {...subject} />}
        <p role="status">You went back before paying. Everything stays as it is.</p>
        <p class="quiet">To pay after all, open the link again, or ask for a new one.</p>
        <Back {...(subject ?? plain)} />
      </>,
    );
  });
};

const waitingText =
  'The payment provider has not reported your payment yet. By card that takes seconds, by bank transfer days, with cryptocurrency until the network has confirmed it. Nothing more is needed from you.';

/** What the checkout was for. The address names it; ids cannot be guessed. */
type CheckoutSubject = {
  name: string;
  price: string;
  isPaid: boolean;
  paidText: string;
  href: string;
  label: string;
};

const plain = { href: '/dashboard/billing', label: 'Back to the dashboard' };

const findSubject = async (
  context: Context<HttpEnv>,
  { db, orders }: PageDependencies,
): Promise<CheckoutSubject | undefined> => {
  const invoiceId = z.guid().safeParse(context.req.query('invoice')).data;
  const invoice = invoiceId === undefined ? undefined : await findInvoice(db, invoiceId);
  if (invoice) {
    const { plan, amountCents, currency, payWith, paidAt } = invoice;
    return {
      name: nameOfPlan(plan),
      price: `${formatMoney(amountCents, currency)} ${payWith === 'CARD' ? 'a month' : 'for 30 days'}`,
      isPaid: paidAt !== null,
      paidText: 'Your payment has arrived, and the plan is active.',
      ...{ href: '/dashboard/billing', label: 'See your plan and its receipt' },
    };
  }
  const orderId = z.guid().safeParse(context.req.query('order')).data;
  const order = orderId === undefined ? undefined : await orders.describe(db, orderId);
  return (
    order && {
      name: order.title,
      price: formatMoney(order.totalCents, order.currency),
      isPaid: order.isPaid,
      paidText: 'Your payment has arrived, and the order goes on.',
      ...{ href: `/dashboard/marketplace/orders/${orderId}`, label: 'See your order' },
    }
  );
};

const formatMoney = (cents: number, currency: string): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency });

const Subject = ({ name, price }: Pick<CheckoutSubject, 'name' | 'price'>) => (
  <p>
    <strong>
      <bdi>{name}</bdi>
    </strong>
    , {price}
  </p>
);

const Back = ({ href, label }: Pick<CheckoutSubject, 'href' | 'label'>) => (
  <p>
    <a href={href}>{label}</a>
  </p>
);
