import { accountRateFactor, apiPrefix, type Plan, type PlanName } from '@holdfast/contract';
import { unauthorized } from '../../kernel/errors.ts';
import type { Caller } from '../context.ts';
import type { AuthScheme } from './auth-scheme.ts';

type ApiKeyDependencies = {
  isWellFormedKey(key: string): boolean;
  authenticate(key: string): Promise<Caller | undefined>;
  limitsOf(plan: PlanName): Plan;
};

/** The public API: a key in the Authorization header, with the request rate of its plan. */
export const apiKeyAuth = (dependencies: ApiKeyDependencies): AuthScheme => {
  const { isWellFormedKey, authenticate, limitsOf } = dependencies;
  const keyOf: AuthScheme['credentialOf'] = (context) => {
    const token = bearerToken(context.req.raw.headers.get('authorization'));
    return token !== undefined && isWellFormedKey(token) ? token : undefined;
  };
  return {
    prefix: apiPrefix,
    credentialOf: keyOf,
    async authenticate(context) {
      const key = keyOf(context);
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
  };
};

/**
 * The token of exactly one `Authorization: Bearer …` header. Repeated headers arrive joined by a comma,
 * which no key contains, so they are refused here too.
 */
export const bearerToken = (header: string | null): string | undefined =>
  header?.match(/^bearer +([^\s,]+)$/i)?.[1];
