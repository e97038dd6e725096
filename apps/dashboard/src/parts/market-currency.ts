import type { marketCurrency as contractCurrency } from '@holdfast/contract';

/** What the marketplace counts in. Only the contract's type is taken: its code would bring a validator along. */
export const marketCurrency: typeof contractCurrency = 'USD';
