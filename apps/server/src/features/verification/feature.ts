import { jobEntry } from '../../queue/job.ts';
import { verifyPageHandlers } from './appearance/page-settings.ts';
import { reportVerified } from './complete/report-verified.ts';
import {
  assignRole,
  assignRoleJob,
  discardTokens,
  discardTokensJob,
  expireVerifications,
  expireVerificationsJob,
  reportVerifiedJob,
  resumeWithheldRoles,
  resumeWithheldRolesJob,
} from './jobs.ts';
import { purgeAppeals } from './queries/appeals.ts';
import { purgeAttempts } from './queries/attempts.ts';
import { purgeAuthorizations } from './queries/authorizations.ts';
import { purgeIdentityHashes } from './queries/identity-hashes.ts';
import { purgePendingVerifications } from './queries/pending-verifications.ts';
import { purgeRaisedChecks } from './queries/raised-checks.ts';
import { purgeRoleAssignments } from './queries/role-assignments.ts';
import { appealDashboardHandlers, appealHandlers, mountVerification } from './routes.ts';

/**
 * A newcomer opens a server's verification link, signs in with the platform, passes the checks and
 * becomes a member with a role. The stages, in order:
 *
 * - `visit/`: the first page (`visit.tsx`), and the count of attempts (`attempt-cookie.ts`).
 * - `callback/`: the platform sends the newcomer back; they become a pending verification, which
 *   holds their tokens (`pending-tokens.ts`).
 * - `check/`: what is known about them (`newcomer.ts`), the server's rules (`ruleset.ts`), and the
 *   page on which `captcha/` is solved. `rules.ts` decides.
 * - `complete/`: they become a member in one transaction (`complete-verification.ts`), and a job
 *   gives them the role (`assign-role.ts`), and another reports them (`report-verified.ts`). One that would give
 *   them power they get once a person has confirmed it or it is harmless (`resume-roles.ts`).
 * - `appearance/`: what the owner chose for the pages (`page-settings.ts`), their style, and what they
 *   would look like with other settings (`preview.ts`).
 * - `appeals/`: a blocked newcomer appeals, and the owner decides (`routes.ts`).
 *
 * `pages/` is what the pages share: paths, errors, the server's header.
 */
export const verification = {
  handlers: (baseUrl: string) => ({ ...appealHandlers, ...verifyPageHandlers(baseUrl) }),
  dashboardHandlers: appealDashboardHandlers,
  mount: mountVerification,
  jobs: [
    jobEntry(assignRole, assignRoleJob),
    jobEntry(reportVerified, reportVerifiedJob),
    jobEntry(resumeWithheldRoles, resumeWithheldRolesJob),
    jobEntry(discardTokens, discardTokensJob),
    jobEntry(expireVerifications, expireVerificationsJob),
  ],
  purgeServer: [
    purgeAttempts,
    purgeAuthorizations,
    purgePendingVerifications,
    purgeIdentityHashes,
    purgeRoleAssignments,
    purgeAppeals,
    purgeRaisedChecks,
  ],
};
