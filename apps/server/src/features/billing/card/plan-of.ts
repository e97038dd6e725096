import { type PlanName, planName } from '@holdfast/contract';
import { highestPlan } from '../rules.ts';
import type { Priced } from './shapes.ts';

/** By what we wrote on it, else by the operator's list of prices, else by the price's own name. */
export const planOf = (
  { metadata, items }: Priced,
  prices: Record<string, PlanName>,
): PlanName | null => {
  const written = planNamed(metadata?.plan);
  if (written) return written;
  const found = (items?.data ?? []).flatMap(({ price, plan }) => {
    const priceId = price?.id ?? plan?.id ?? '';
    const listed = Object.hasOwn(prices, priceId) ? prices[priceId] : undefined;
    return listed ?? planNamed(price?.lookup_key) ?? [];
  });
  return found.length > 0 ? highestPlan(found) : null;
};

const planNamed = (text: unknown): PlanName | undefined =>
  typeof text === 'string' ? planName.safeParse(text.trim().toUpperCase()).data : undefined;
