import { z } from 'zod';
import { nowSeconds } from '../clock.ts';
import { newCardId } from './card-id.ts';
import type { LineItem } from './subscription.ts';

/** What can be paid for. A price that came with a checkout is inactive: nothing else can use it. */
export type Price = Omit<LineItem, 'quantity' | 'priceId'> & {
  id: string;
  currency: string;
  createdAt: number;
  isActive: boolean;
  lookupKey: string | null;
  metadata: Record<string, string>;
};

const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'Invalid integer')
  .transform(Number);
const recurring = z.strictObject({
  interval: z.enum(['day', 'week', 'month', 'year']),
  interval_count: wholeNumber.default(1),
});

export const priceData = z.strictObject({
  currency: z.string().regex(/^[a-zA-Z]{3}$/, 'Invalid currency'),
  unit_amount: wholeNumber,
  product_data: z.object({ name: z.string().min(1).max(5000) }),
  recurring: recurring.optional(),
});

/** `POST /v1/prices`, with a product that is made along with it. */
export const priceForm = z.strictObject({
  ...priceData.shape,
  lookup_key: z.string().min(1).max(200).optional(),
  transfer_lookup_key: z.enum(['true', 'false']).optional(),
  metadata: z.record(z.string().max(40), z.string().max(500)).default({}),
});

export type Prices = ReturnType<typeof createPrices>;

export const createPrices = () => {
  const priceById = new Map<string, Price>();
  const add = (
    form: z.output<typeof priceData>,
    rest: Pick<Price, 'isActive' | 'lookupKey' | 'metadata'>,
  ): Price => {
    const price: Price = {
      id: newCardId('price'),
      productId: newCardId('prod'),
      name: form.product_data.name,
      unitAmount: form.unit_amount,
      currency: form.currency.toLowerCase(),
      createdAt: nowSeconds(),
      recurring: form.recurring
        ? { interval: form.recurring.interval, count: form.recurring.interval_count }
        : null,
      ...rest,
    };
    priceById.set(price.id, price);
    return price;
  };
  const ofKey = (key: string) => [...priceById.values()].find(({ lookupKey }) => lookupKey === key);

  return {
    find: (id: string): Price | undefined => priceById.get(id),
    list: (keys: readonly string[]): Price[] =>
      [...priceById.values()].filter(
        ({ isActive, lookupKey }) =>
          isActive && (keys.length === 0 || keys.includes(lookupKey ?? '')),
      ),
    addInline: (form: z.output<typeof priceData>) =>
      add(form, { isActive: false, lookupKey: null, metadata: {} }),
    /** Undefined if another price has the lookup key and it may not be transferred. */
    add(form: z.output<typeof priceForm>): Price | undefined {
      const { lookup_key: lookupKey = null, metadata } = form;
      const holder = lookupKey === null ? undefined : ofKey(lookupKey);
      if (holder && form.transfer_lookup_key !== 'true') return undefined;
      if (holder) holder.lookupKey = null;
      return add(form, { isActive: true, lookupKey, metadata });
    },
  };
};

export const itemOf = ({ id, name, unitAmount, productId, recurring }: Price): LineItem => ({
  ...{ name, unitAmount, productId, recurring },
  priceId: id,
  quantity: 1,
});
