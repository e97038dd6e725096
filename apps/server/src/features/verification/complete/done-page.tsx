/** @jsxImportSource hono/jsx */
import { sendErrorPage } from '../pages/error-pages.tsx';
import {
  checkPath,
  donePath,
  findPending,
  type PageRequest,
  visitPath,
} from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import { findAssignmentStatus } from '../queries/role-assignments.ts';
import { roleTroubles } from '../rules.ts';
import type { VerificationTexts } from '../texts/en.ts';
import { textsOf } from '../texts/verification-texts.ts';

/** The last page: the person is verified. It reloads until the role is given. */
export const showDone = async (request: PageRequest) => {
  const { context, server, db } = request;
  const pending = await findPending(request);
  if (!pending) return sendErrorPage(context, 'stateInvalid', server.id);
  if (pending.outcome !== 'verified') return context.redirect(checkPath(server.id), 303);
  const assignment = await findAssignmentStatus(db, pending);
  // Removed since: they can begin again.
  if (!assignment) return context.redirect(visitPath(server.id), 303);
  const texts = textsOf(context);
  const { done } = texts;
  const isRoleAwaited = server.givesRole && assignment.status === 'waiting';
  const isMissing = assignment.status === 'failed';
  return sendServerPage(
    request,
    {
      ...{ title: done.title(server.name), heading: done.heading, tone: 'good' },
      ...{ refreshSeconds: isRoleAwaited ? 2 : undefined, again: donePath(server.id) },
    },
    <>
      <p role="status">{roleMessage(texts, assignment, server)}</p>
      <p class="quiet">{assignment.consentedAt ? done.recoveryYes : done.recoveryNo}</p>
      {(isMissing || !assignment.consentedAt) && (
        <p>
          <a class={isMissing ? 'button' : 'quiet'} href={visitPath(server.id)}>
            {done.verifyAgain}
          </a>
        </p>
      )}
    </>,
  );
};

type Assignment = NonNullable<Awaited<ReturnType<typeof findAssignmentStatus>>>;

/** Of a role only where the server gives one. */
const roleMessage = (
  { done, role }: VerificationTexts,
  { status, error }: Assignment,
  { givesRole }: PageRequest['server'],
): string => {
  if (status === 'done' || !givesRole) return done.allDone;
  const trouble = roleTroubles.find((code) => code === error);
  if (trouble) return role[trouble];
  return status === 'failed' ? role.failed : done.roleComing;
};
