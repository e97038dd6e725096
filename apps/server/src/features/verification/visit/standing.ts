import { browserHash } from '../../../http/pages/cookies.ts';
import { findPending, type PageRequest } from '../pages/page-context.ts';
import { findAppealOfBrowser, findLastAppeal } from '../queries/appeals.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import { findAssignmentStatus } from '../queries/role-assignments.ts';
import { type AppealStanding, appealStanding } from '../rules.ts';

/** Where a person stands who has been here before in this browser. */
export type Standing = AppealStanding | 'verified' | 'held' | 'refused';

/** Undefined for somebody new, and for somebody who was verified and has been removed since. */
export const findStanding = async (request: PageRequest): Promise<Standing | undefined> => {
  const pending = await findPending(request);
  return pending ? standingOf(request, pending) : standingByAppeal(request);
};

const standingOf = async (
  request: PageRequest,
  pending: PendingVerification,
): Promise<Standing | undefined> => {
  const { db, server } = request;
  if (pending.outcome === null) return (await request.isHeld(db, pending)) ? 'held' : undefined;
  if (pending.outcome === 'verified') {
    return (await findAssignmentStatus(db, pending)) ? 'verified' : undefined;
  }
  const appeal = await findLastAppeal(db, server, pending.platformId);
  return appealStanding(appeal, pending.outcomeAt) ?? 'refused';
};

/** The verification is forgotten after a day; an appeal is answered when the owner has time. */
const standingByAppeal = async (request: PageRequest): Promise<Standing | undefined> => {
  const { db, server, context } = request;
  const appeal = await findAppealOfBrowser(db, server, browserHash(context));
  if (!appeal) return undefined;
  const person = { ...appeal, accountId: server.accountId, serverId: server.id };
  return (await findAssignmentStatus(db, person)) ? 'verified' : appealStanding(appeal, null);
};
