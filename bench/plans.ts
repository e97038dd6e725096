import { drizzle } from 'drizzle-orm/bun-sql';
import { listMembers } from '../apps/server/src/features/members/queries.ts';
import { type MemberServer, memberServersOf, rareWord } from './member-servers.ts';
import { print } from './print.ts';
import { explain } from './queries.ts';
import type { World } from './world.ts';

const pageSize = { limit: 20 };

/** Shows how the database goes about the lists of the large server; for a person to look at. */
export const printPlans = async (world: World): Promise<void> => {
  const { large } = await memberServersOf(world);
  const lastPage = Math.ceil(large.members / pageSize.limit);
  const queries = {
    'first page': { ...pageSize, page: 1 },
    'last page': { ...pageSize, page: lastPage },
    'last pullable page': { ...pageSize, page: lastPage / 2, pullable: true },
    'search with ten matches': { ...pageSize, page: 1, search: rareWord },
  };
  for (const [name, query] of Object.entries(queries)) {
    for (const { statement, values } of await statementsOf(world, large, query)) {
      print(`plans: ${name}\n${statement}\n`);
      for (const line of await explain(world.sql, statement, values)) print(`  ${line}`);
      print();
    }
  }
};

type Statement = { statement: string; values: unknown[] };

/** The service's own function runs; what it asks the database is written down. */
const statementsOf = async (
  world: World,
  { id, owner }: MemberServer,
  query: Parameters<typeof listMembers>[2],
): Promise<Statement[]> => {
  const asked: Statement[] = [];
  const logQuery = (statement: string, values: unknown[]) => asked.push({ statement, values });
  const db = drizzle({ client: world.sql, casing: 'snake_case', logger: { logQuery } });
  await listMembers(db, { id, accountId: owner.accountId }, query);
  return asked;
};
