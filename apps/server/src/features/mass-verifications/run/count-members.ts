import { storeCounted } from '../queries.ts';
import { beforeAll, listCandidates } from './list-members.ts';
import type { MassVerificationRun } from './mass-verification-run.ts';
import { patiently } from './patience.ts';

/** Counts those who pass the filter, page by page, from where it was left. */
export const countMembers = async (run: MassVerificationRun): Promise<void> => {
  const { dependencies, owner, job, guild, lease, watch } = run;
  const { db } = dependencies;
  while (!job.isCounted) {
    const after = job.afterId ?? beforeAll;
    const { members, isLast } = await patiently(watch, () => guild.readMemberPage(after));
    const found = (await listCandidates(db, owner.accountId, members, job)).length;
    const lastId = isLast ? null : (members.at(-1)?.userId ?? null);
    await lease.transaction(db, (tx) => storeCounted(tx, owner, { found, lastId }));
    job.afterId = lastId;
    job.isCounted = lastId === null;
  }
};
