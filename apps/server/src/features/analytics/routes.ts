import type { analyticsEndpoints } from '@holdfast/contract';
import type { Queryable } from '../../db/connect.ts';
import type { Handlers, OwnedServer } from '../../http/handler.ts';
import type { Clock } from '../../kernel/clock.ts';
import { countAttempts } from './queries.ts';
import { summarize, windowOf } from './rules.ts';

type TokenHealth = { valid: number; expired: number; revoked: number };

type Dependencies = {
  clock: Clock;
  /** How many of a server's members hold a token, and in what state. */
  countTokens(db: Queryable, server: OwnedServer): Promise<TokenHealth>;
};

export const analyticsHandlers = (
  dependencies: Dependencies,
): Handlers<typeof analyticsEndpoints> => ({
  async getAnalytics(db, { server, query: { period } }) {
    const window = windowOf(period, dependencies.clock.now());
    const { buckets, countries } = await countAttempts(db, server, window);
    const { from, to } = window;
    return {
      ...{ period, from, to },
      ...summarize(window, buckets),
      topCountries: countries,
      tokenHealth: await dependencies.countTokens(db, server),
    };
  },
});
