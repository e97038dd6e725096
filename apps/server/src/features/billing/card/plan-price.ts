import { marketCurrency, type PlanName } from '@holdfast/contract';
import type Stripe from 'stripe';
import { z } from 'zod';

export type PlanPrice = { plan: PlanName; amountCents: number };

/** What the payer reads at the provider. */
export const nameOfPlan = (plan: PlanName): string =>
  `Holdfast ${plan.charAt(0)}${plan.slice(1).toLowerCase()}`;

const priceShape = z.object({ id: z.string().min(1).max(255) });

/**
 * The provider's price of a plan for a month, created when it is first needed. The lookup key holds the amount,
 * so a new amount is a new price, and subscriptions at the old one keep theirs.
 */
export const createPriceFinder = () => {
  const priceIds = new Map<string, string>();
  return {
    async find(stripe: Stripe, { plan, amountCents }: PlanPrice): Promise<string> {
      const currency = marketCurrency.toLowerCase();
      const lookupKey = `holdfast_${plan.toLowerCase()}_${currency}_${amountCents}`;
      const known = priceIds.get(lookupKey);
      if (known !== undefined) return known;
      const lookup = { lookup_keys: [lookupKey], active: true, limit: 1 };
      const found = (await stripe.prices.list(lookup)).data[0];
      const created = {
        ...{ currency, unit_amount: amountCents, recurring: { interval: 'month' as const } },
        ...{ product_data: { name: nameOfPlan(plan) }, metadata: { plan } },
        ...{ lookup_key: lookupKey, transfer_lookup_key: true },
      };
      const price = found ?? (await stripe.prices.create(created));
      const { id } = priceShape.parse(price);
      priceIds.set(lookupKey, id);
      return id;
    },
    /** After a failure: somebody may have archived a price at the provider. */
    forget: () => priceIds.clear(),
  };
};

export type PriceFinder = ReturnType<typeof createPriceFinder>;
