import { drizzle } from 'drizzle-orm/bun-sql';
import { listMembers } from '../../apps/server/src/features/members/queries/list.ts';
import type { Bench } from '../lib/environment.ts';
import { print } from '../lib/print.ts';
import { explain } from '../lib/queries.ts';
import { type MemberServer, memberServersOf, rareWord } from './servers.ts';

const pageSize = { limit: 20 };

/** Prints the query plans of the lists of the large server. */
export const printPlans = async (bench: Bench): Promise<void> => {
  const { large } = await memberServersOf(bench);
  const lastPage = Math.ceil(large.members / pageSize.limit);
  const queries = {
    'first page': { ...pageSize, page: 1 },
    'last page': { ...pageSize, page: lastPage },
    'last pullable page': { ...pageSize, page: lastPage / 2, pullable: true },
    'search with ten matches': { ...pageSize, page: 1, search: rareWord },
  };
  for (const [name, query] of Object.entries(queries)) {
    for (const { statement, values } of await statementsOf(bench, large, query)) {
      print(`plans: ${name}\n${statement}\n`);
      for (const line of await explain(bench.sql, statement, values)) print(`  ${line}`);
      print();
    }
  }
};

type Statement = { statement: string; values: unknown[] };

/** The service's own function runs; what it asks the database is written down. */
const statementsOf = async (
  bench: Bench,
  { id, owner }: MemberServer,
  query: Parameters<typeof listMembers>[2],
): Promise<Statement[]> => {
  const asked: Statement[] = [];
  const logQuery = (statement: string, values: unknown[]) => asked.push({ statement, values });
  const db = drizzle({ client: bench.sql, casing: 'snake_case', logger: { logQuery } });
  await listMembers(db, { id, accountId: owner.accountId }, query);
  return asked;
};
