import type { Database, Transaction } from '../../db/connect.ts';
import { type Crowd, drawPeople, type MadeUpPerson } from './made-up/draw-people.ts';
import {
  findServerToFill,
  insertMadeUpMembers,
  refreshMemberStatistics,
} from './made-up/queries.ts';

/** Puts tokens away that were asked for, and gives how many. */
type KeepTokens = (tx: Transaction, owner: { accountId: string; botId: string }) => Promise<number>;

/** Where made-up people have their tokens from; asked for before the transaction that keeps them. */
export type AskForTokens = (clientId: string, platformIds: string[]) => Promise<KeepTokens>;

type MadeUp = { people: MadeUpPerson[]; count: number; keepTokens?: KeepTokens };

const rowsAtATime = 20_000;

/**
 * Fills a server with made-up members, verified over the past year, for trials and measurements.
 * Where nobody can be asked for tokens, those who agreed are listed as if they had given one.
 */
export const seedMembers = async (
  db: Database,
  serverId: string,
  { count, pullable }: { count: number; pullable: number },
  askForTokens?: AskForTokens,
) => {
  if (pullable > count) throw new Error('--pullable is more than --count');
  const server = await findServerToFill(db, serverId);
  if (!server) throw new Error('No such server');
  let tokens = 0;
  for (let first = 0; first < count; first += rowsAtATime) {
    const last = Math.min(first + rowsAtATime, count) - 1;
    const crowd = { first, last, count, pullable };
    const madeUp = await makeUpMembers(crowd, server.clientId, askForTokens);
    tokens += await db.transaction((tx) => storeMadeUpMembers(tx, server, madeUp));
  }
  await refreshMemberStatistics(db);
  return { serverId, seeded: count, pullable, tokens };
};

export const makeUpMembers = async (
  crowd: Crowd,
  clientId: string,
  askForTokens?: AskForTokens,
): Promise<MadeUp> => {
  const people = drawPeople(crowd, new Date(), Math.random);
  const agreeing = people.filter(({ agrees }) => agrees);
  const platformIds = agreeing.map(({ platformId }) => platformId);
  const keepTokens = await askForTokens?.(clientId, platformIds);
  return { people, count: crowd.count, keepTokens };
};

/** Gives how many tokens are now kept. */
export const storeMadeUpMembers = async (
  tx: Transaction,
  { id, accountId, botId }: { id: string; accountId: string; botId: string },
  { keepTokens, ...madeUp }: MadeUp,
): Promise<number> => {
  const kept = await keepTokens?.(tx, { accountId, botId });
  const holder = kept === undefined ? null : botId;
  await insertMadeUpMembers(tx, { id, accountId, botId: holder }, madeUp);
  return kept ?? 0;
};
