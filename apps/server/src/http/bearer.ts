import { accountRateFactor, apiPrefix, type Plan, type PlanName } from '@holdfast/contract';
import { unauthorized } from '../kernel/errors.ts';
import type { Entrance } from './admission.ts';
import type { Caller } from './caller.ts';

type KeyTools = {
  authenticate(key: string): Promise<Caller | undefined>;
  limitsOf(plan: PlanName): Plan;
};

/** The public API: a key in the header and nowhere else, as many requests as its plan allows. */
export const byKey = ({ authenticate, limitsOf }: KeyTools): Entrance => ({
  prefix: apiPrefix,
  async authenticate(context) {
    const key = bearerCredential(context.req.raw.headers.get('authorization'));
    return key === undefined ? undefined : authenticate(key);
  },
  refuse: unauthorized,
  budgetsOf({ id, accountId, plan }) {
    const limit = limitsOf(plan).apiRatePerTenSeconds;
    return [
      { id: `key:${id}`, limit },
      { id: `account:${accountId}`, limit: limit * accountRateFactor },
    ];
  },
});

/**
 * The credential of exactly one `Authorization: Bearer …` header. Repeated headers reach us joined
 * by a comma, which no key contains, so they fail here too.
 */
export const bearerCredential = (header: string | null): string | undefined =>
  header?.match(/^bearer +([^\s,]+)$/i)?.[1];
