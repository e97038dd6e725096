import { AsyncLocalStorage } from 'node:async_hooks';
import { PlatformFailure } from '../failures.ts';
import { type Charge, createShare, type ShareOptions } from './refusal-share.ts';
import { createSharedCounts, type RefusalStore } from './shared-refusals.ts';

/**
 * The platform bans an IP address that collects 10,000 answers of 401, 403 or 429 (refusals) within ten
 * minutes, and all accounts share ours. So each account has a share of a lower limit, and only its calls
 * are stopped when it is used up. As a last resort, at the limit of all accounts together, every call
 * is stopped until enough refusals are older than ten minutes.
 *
 * Urgent calls, which stop an attacker, have a reserve beside that: when the usual share is used up, by
 * whatever the account or others did, they go on with one that no other call draws from.
 */
export type Breaker = {
  /** Whether calls for this account are stopped, as far as this process knows. */
  isOpen(charge: Charge): boolean;
  /**
   * Sends one call and counts its answer. Throws `breakerOpen` instead where the account, its guild, or
   * all together, have no refusals left. A call under way counts as a refusal until it is answered, so that
   * many parallel calls cannot exceed the share either. An urgent call goes by what is known already.
   */
  admit(charge: Charge, send: () => Promise<Response>): Promise<Response>;
};

type Options = {
  now?: () => number;
  /** How many refusals all accounts together may collect. */
  limit?: number;
  store?: RefusalStore;
  /** What one account may collect, and what it may once half of all is used up. */
  accountShare?: number;
  strainedShare?: number;
  /** The same for the reserve of urgent calls, which comes on top. */
  reserve?: Partial<Omit<ShareOptions, 'now'>>;
  /** Called once per outage of the store. */
  onStoreFailure?(error: unknown): void;
};

/** Together three quarters of what the platform tolerates: processes count apart for up to a second. */
const tolerated = 5000;
const reserved = 2500;
const invalidStatuses = new Set([401, 403, 429]);

export const createBreaker = ({
  now = () => performance.now(),
  limit = tolerated,
  accountShare = limit / 10,
  strainedShare = limit / 100,
  reserve: { limit: reserveLimit = reserved, ...reserve } = {},
  store,
  onStoreFailure,
}: Options = {}): Breaker => {
  const shared = createSharedCounts(store, onStoreFailure);
  const usual = createShare({ now, limit, accountShare, strainedShare }, shared.usual);
  const urgent = createShare(
    {
      ...{ now, limit: reserveLimit },
      accountShare: reserve.accountShare ?? reserveLimit / 10,
      strainedShare: reserve.strainedShare ?? reserveLimit / 100,
    },
    shared.urgent,
  );
  /** Undefined where nothing is left. */
  const shareFor = (charge: Charge) => {
    if (!usual.isUsedUp(charge)) return usual;
    return charge.isUrgent && !urgent.isUsedUp(charge) ? urgent : undefined;
  };

  return {
    isOpen: (charge) => shareFor(charge) === undefined,
    async admit(charge, send) {
      const refreshing = shared.refresh();
      if (!charge.isUrgent) await refreshing;
      const share = shareFor(charge);
      if (!share) throw new PlatformFailure('breakerOpen');
      const settle = share.begin(charge);
      try {
        const response = await send();
        if (invalidStatuses.has(response.status)) share.add(charge);
        return response;
      } finally {
        settle();
      }
    },
  };
};

const accounts = new AsyncLocalStorage<string>();

/**
 * The platform calls of `work` are counted for this account. Calls without an account, such as those of
 * people who sign in, count in the total only.
 */
export const onBehalfOf = <Outcome>(
  accountId: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> => accounts.run(accountId, work);

export const actingAccount = (): string | undefined => accounts.getStore();
