import type { SQL } from 'bun';
import type { Database } from '../../src/db/connect.ts';
import { verifyChain } from '../../src/features/audit/chain/verify-chain.ts';
import type { Community } from './community.ts';
import type { Protocol } from './protocol.ts';
import { countBillingEvents, listOpenJobs, listRepeatedEnds } from './queries.ts';

const jobsEndWithinMs = 120_000;

/** What holds of every account at the end, whatever happened. */
export const checkAccounts = async (
  { db, sql }: { db: Database; sql: SQL },
  communities: readonly Pick<Community, 'account'>[],
  { count, violate }: Protocol,
): Promise<void> => {
  for (const { account } of communities) {
    const { intact, entries } = await verifyChain(db, account.accountId);
    if (!intact) violate(`the audit chain of ${account.accountId} is broken`);
    count('audit entries verified', entries);
  }
  for (const { action, times } of await listRepeatedEnds(sql)) {
    violate(`${action} is ${times} times in the audit log of one thing`);
  }
};

/** Every event once, however often it was sent. */
export const checkPayments = async (sql: SQL, sent: number, { violate }: Protocol) => {
  const stored = await countBillingEvents(sql);
  if (stored !== sent) violate(`of ${sent} payment events ${stored} are stored`);
};

/** Nothing is left waiting, running or failed. */
export const checkJobs = async (sql: SQL, { violate }: Protocol): Promise<void> => {
  const deadline = Date.now() + jobsEndWithinMs;
  let open = await listOpenJobs(sql);
  while (open.some(({ what }) => !what.endsWith(' failed')) && Date.now() < deadline) {
    await Bun.sleep(1000);
    open = await listOpenJobs(sql);
  }
  for (const { what, jobs } of open) violate(`${jobs} jobs are left: ${what}`);
};
