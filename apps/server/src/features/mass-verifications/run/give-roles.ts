import { PlatformFailure } from '../../../platform/failures.ts';
import { dangerousNames } from '../../../platform/permissions.ts';
import type { CurrentMember } from '../../../platform/port.ts';
import { isBlacklisted } from '../../blacklist/queries.ts';
import { askWhenSent, type Verdict } from '../../servers/power/judge-roles.ts';
import { reportWithheld } from '../../servers/power/tell-power.ts';
import { type Processed, storeAttempt, storeProcessed } from '../queries.ts';
import { isGone, isLoss } from '../rules.ts';
import { beforeAll, listCandidates } from './list-members.ts';
import type { MassVerificationRun } from './mass-verification-run.ts';
import { MassVerificationRefused, patiently } from './patience.ts';

const nobody: Processed = { given: 0, already: 0, failed: 0, left: 0 };

/** After so many unexplained refusals in a row, further calls would only be refused as well. */
const maxRefusals = 25;

/** Gives the role to everybody after the last person who was processed: the bot's bucket sets the pace. */
export const giveRoles = async (run: MassVerificationRun): Promise<void> => {
  const { dependencies, owner, job, guild, watch } = run;
  const attempt = createAttempt(run);
  for (let isLast = false; !isLast; ) {
    const after = job.afterId ?? beforeAll;
    const page = await patiently(watch, () => guild.readMemberPage(after));
    const { db } = dependencies;
    const candidates = await listCandidates(db, owner.accountId, page.members, job);
    // Those who need no call are stored with the next one who does.
    let processed = nobody;
    for (const member of candidates) {
      watch.throwIfStopped();
      if (hasRole(run, member)) {
        const result = member.userId === job.attemptedId ? 'given' : 'already';
        processed = { ...processed, [result]: processed[result] + 1 };
        continue;
      }
      const outcome = await attempt(member.userId);
      await store(run, { ...processed, [outcome]: processed[outcome] + 1 }, member.userId);
      processed = nobody;
    }
    const last = page.members.at(-1);
    if (last) await store(run, processed, last.userId);
    isLast = page.isLast;
  }
};

const hasRole = ({ job }: MassVerificationRun, { roleIds }: CurrentMember): boolean =>
  roleIds.includes(job.verifiedRoleId);

const store = async (
  { dependencies, owner, job, lease }: MassVerificationRun,
  processed: Processed,
  lastId: string,
): Promise<void> => {
  await lease.transaction(dependencies.db, (tx) => storeProcessed(tx, owner, processed, lastId));
  job.afterId = lastId;
};

type Outcome = 'given' | 'failed' | 'left';

/** Throws where nobody can be given the role. */
const createAttempt = (run: MassVerificationRun) => {
  let refusals = 0;
  return async (platformId: string): Promise<Outcome> => {
    if (!(await beginAttempt(run, platformId))) return 'left';
    try {
      await giveRole(run, platformId);
      refusals = 0;
      return 'given';
    } catch (error) {
      if (!(error instanceof PlatformFailure) || isLoss(error.kind)) throw error;
      if (isGone(error.kind)) return 'left';
      refusals += 1;
      if (refusals === maxRefusals) throw error;
      return 'failed';
    }
  };
};

/** Decided at this moment, since the page may be old. False where they get nothing. */
const beginAttempt = (
  { dependencies, owner, job, lease }: MassVerificationRun,
  platformId: string,
): Promise<boolean> =>
  lease.transaction(dependencies.db, async (tx) => {
    const person = { accountId: owner.accountId, serverId: job.serverId, platformId };
    if (await isBlacklisted(tx, person)) return false;
    if (await dependencies.isHeld(tx, person)) return false;
    await storeAttempt(tx, owner, platformId);
    return true;
  });

const giveRole = (run: MassVerificationRun, platformId: string): Promise<void> =>
  patiently(run.watch, async () => {
    const { dependencies, owner, bot, guild, job, watch } = run;
    const { guildId, serverId, verifiedRoleId: roleId } = job;
    const person = { accountId: owner.accountId, serverId, platformId };
    const findHeld = () => dependencies.findHeldBack(dependencies.db, person);
    const confirmed = BigInt(job.confirmedPower);
    const { ask, verdict } = askWhenSent({ bot, guildId, findHeld }, [{ roleId, confirmed }]);
    // Once it is sent its answer is awaited, so that what was done is counted.
    watch.setSending(true);
    try {
      await guild.giveRole(platformId, roleId, ask);
    } catch (error) {
      await refuseWithheld(run, verdict);
      throw error;
    } finally {
      watch.setSending(false);
    }
  });

/** Throws where the role has become dangerous, or is gone. */
const refuseWithheld = async (
  { dependencies, owner, job }: MassVerificationRun,
  { withheld, missing }: Verdict,
): Promise<void> => {
  if (missing.length > 0) throw new PlatformFailure('unknownRole');
  const [role] = withheld;
  if (!role) return;
  const server = { accountId: owner.accountId, serverId: job.serverId };
  await reportWithheld(dependencies, server, 'MASS_VERIFICATION', [role]);
  throw new MassVerificationRefused(
    `The role ${role.name} has dangerous permissions now (${dangerousNames(role.power).join(', ')}), so nobody else gets it: take them away, or start again and confirm it`,
  );
};
