/** @jsxImportSource hono/jsx */
import { sendErrorPage } from '../pages/error-pages.tsx';
import { checkPath, findPending, type PageRequest } from '../pages/page-context.ts';
import { sendServerPage } from '../pages/server-page.tsx';
import { findAssignmentStatus } from '../queries/role-assignments.ts';

/** The last page: the person is verified. It reloads until the role is given. */
export const showDone = async (request: PageRequest) => {
  const { context, server, db } = request;
  const pending = await findPending(request);
  if (!pending) return sendErrorPage(context, 'stateInvalid', server.id);
  if (pending.outcome !== 'verified') return context.redirect(checkPath(server.id), 303);
  const assignment = await findAssignmentStatus(db, pending);
  return sendServerPage(
    request,
    {
      title: `Verified for ${server.name}`,
      heading: 'You are verified',
      tone: 'good',
      refreshSeconds: assignment?.status === 'waiting' ? 2 : undefined,
    },
    <>
      <p role="status">{roleMessage(assignment)}</p>
      <p class="quiet">
        {pending.wantsRecovery
          ? 'The owner may bring you back if the server is lost, as you agreed.'
          : 'You did not agree to be brought back if the server is lost. To change that, verify again.'}
      </p>
    </>,
  );
};

const roleMessage = (assignment: Awaited<ReturnType<typeof findAssignmentStatus>>): string => {
  if (assignment?.status === 'waiting') {
    return assignment.error ?? 'Your role is on its way. This page looks again by itself.';
  }
  if (assignment?.status === 'failed') {
    return assignment.error ?? "Your role could not be given. Please tell the server's owner.";
  }
  return 'All done. You can close this page and go back to the server.';
};
