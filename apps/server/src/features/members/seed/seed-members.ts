import type { Database, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { generatePeople, type SeedPerson, type SeedRange } from './people.ts';
import { findServerToSeed, insertSeedMembers, refreshMemberStatistics } from './queries.ts';

/** Stores the tokens that were requested; returns how many. */
type StoreTokens = (
  tx: Transaction,
  owner: { accountId: string; botId: string },
) => Promise<number>;

/** Requests tokens for generated people, before the transaction that stores them. */
export type RequestTokens = (clientId: string, platformIds: string[]) => Promise<StoreTokens>;

type SeedMembers = { people: SeedPerson[]; count: number; storeTokens?: StoreTokens };

const rowsAtATime = 20_000;

/**
 * Fills a server with generated members, verified over the past year, for trials and measurements.
 * Without `requestTokens`, those who consent are listed as if they had given a token.
 */
export const seedMembers = async (
  { db, clock }: { db: Database; clock: Clock },
  serverId: string,
  { count, pullable }: { count: number; pullable: number },
  requestTokens?: RequestTokens,
) => {
  if (pullable > count) throw new Error('--pullable is more than --count');
  const server = await findServerToSeed(db, serverId);
  if (!server) throw new Error('No such server');
  let tokens = 0;
  for (let first = 0; first < count; first += rowsAtATime) {
    const last = Math.min(first + rowsAtATime, count) - 1;
    const range = { first, last, count, pullable };
    const generated = await generateSeedMembers(clock, range, server.clientId, requestTokens);
    tokens += await db.transaction((tx) => storeSeedMembers(tx, server, generated));
  }
  await refreshMemberStatistics(db);
  return { serverId, seeded: count, pullable, tokens };
};

export const generateSeedMembers = async (
  clock: Clock,
  range: SeedRange,
  clientId: string,
  requestTokens?: RequestTokens,
): Promise<SeedMembers> => {
  const people = generatePeople(range, clock.now(), Math.random);
  const consenting = people.filter(({ consents }) => consents);
  const platformIds = consenting.map(({ platformId }) => platformId);
  const storeTokens = await requestTokens?.(clientId, platformIds);
  return { people, count: range.count, storeTokens };
};

/** Returns how many tokens were stored. */
export const storeSeedMembers = async (
  tx: Transaction,
  { id, accountId, botId }: { id: string; accountId: string; botId: string },
  { storeTokens, ...generated }: SeedMembers,
): Promise<number> => {
  const stored = await storeTokens?.(tx, { accountId, botId });
  const tokenBotId = stored === undefined ? null : botId;
  await insertSeedMembers(tx, { id, accountId, botId: tokenBotId }, generated);
  return stored ?? 0;
};
