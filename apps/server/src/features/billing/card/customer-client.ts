import { httpUrl, type Receipt } from '@holdfast/contract';
import type Stripe from 'stripe';
import { type CardCallDependencies, type CardRefusal, createAskProvider } from './ask-provider.ts';
import { createPriceFinder, type PlanPrice } from './plan-price.ts';

type Refusal = { refusal: CardRefusal };

/** What a customer wants to see of the card provider. */
export type CardCustomers = {
  /** What the change to a higher plan would charge now. */
  previewUpgrade(
    providerRef: string,
    price: PlanPrice,
  ): Promise<{ dueCents: number; currency: string } | Refusal>;
  /** The newest invoices. */
  listReceipts(customerId: string): Promise<{ receipts: Receipt[] } | Refusal>;
  /** The address of the provider's own pages for this customer. */
  openPortal(customerId: string, returnUrl: string): Promise<{ url: string } | Refusal>;
};

const maxReceipts = 24;

export const createCardCustomers = (dependencies: CardCallDependencies): CardCustomers => {
  const ask = createAskProvider(dependencies);
  const prices = createPriceFinder();
  return {
    previewUpgrade: (providerRef, planPrice) =>
      ask(async (stripe) => {
        const subscription = await stripe.subscriptions.retrieve(providerRef);
        const price = await prices.find(stripe, planPrice);
        const preview = await stripe.invoices.createPreview({
          subscription: providerRef,
          subscription_details: {
            items: [{ id: subscription.items.data[0]?.id ?? '', price }],
            proration_behavior: 'always_invoice',
          },
        });
        return { dueCents: preview.amount_due, currency: preview.currency.toUpperCase() };
      }),

    listReceipts: (customer) =>
      ask(async (stripe) => {
        const { data } = await stripe.invoices.list({ customer, limit: maxReceipts });
        return { receipts: data.flatMap((invoice) => receiptOf(invoice) ?? []) };
      }),

    openPortal: (customer, return_url) =>
      ask(async (stripe) => {
        const { url } = await stripe.billingPortal.sessions.create({ customer, return_url });
        return { url };
      }),
  };
};

const statuses = new Map([
  ['paid', 'PAID'],
  ['open', 'OPEN'],
] as const);

/** Undefined for a draft, and for what was never due. */
const receiptOf = (invoice: Stripe.Invoice): Receipt | undefined => {
  const status = [...statuses].find(([name]) => name === invoice.status)?.[1];
  if (!status || !invoice.id) return undefined;
  return {
    id: invoice.id,
    number: invoice.number,
    // The last line of a change of plans is the new plan.
    description: invoice.lines.data.at(-1)?.description ?? invoice.description ?? '',
    amountCents: invoice.amount_due,
    currency: invoice.currency.toUpperCase(),
    status,
    createdAt: new Date(invoice.created * 1000),
    pageUrl: linkOf(invoice.hosted_invoice_url),
    pdfUrl: linkOf(invoice.invoice_pdf),
  };
};

/** Becomes a link on our page. */
const linkOf = (text: string | null | undefined): string | null =>
  httpUrl.safeParse(text).data ?? null;
