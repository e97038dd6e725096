import { z } from 'zod';

/** Everything is sold in this. */
export const marketCurrency = 'USD';

/** What a card can be charged at once. */
const mostCents = 99_999_999;

export const cents = z.int().min(0).max(mostCents).meta({ example: 1500 });
