import { readForm } from '../../../http/pages/read-form.ts';
import { newId } from '../../../kernel/ids.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { sendErrorPage } from '../pages/error-pages.tsx';
import { checkPath, findPending, type PageRequest } from '../pages/page-context.ts';
import { insertAppeal } from '../queries/appeals.ts';
import { appealMessage, longestAppealLength } from '../rules.ts';
import { sendBlocked } from './blocked-page.tsx';

/** Only in the browser in which the person was blocked, and one open appeal at a time. */
export const submitAppeal = async (request: PageRequest) => {
  const { context, server, db, baseUrl } = request;
  const form = await readForm(context, baseUrl);
  const pending = await findPending(request);
  if (!pending) return sendErrorPage(context, 'stateInvalid', server.id);
  const { blockReason: reason, accountId, serverId, platformId, username } = pending;
  if (!reason) return context.redirect(checkPath(server.id), 303);
  const message = appealMessage(form.message);
  if (message === undefined) {
    const error = `Please write between 1 and ${longestAppealLength} characters.`;
    const typed = (form.message ?? '').slice(0, longestAppealLength * 4);
    return sendBlocked(request, pending, { message: typed, error });
  }
  const appeal = { id: newId(), accountId, serverId, platformId, username, reason, message };
  await db.transaction(async (tx) => {
    // One who has an open appeal adds no other.
    if (!(await insertAppeal(tx, appeal))) return;
    await raiseAlert(tx, request, { accountId, serverId, kind: 'APPEAL_OPENED', facts: {} });
  });
  return context.redirect(checkPath(server.id), 303);
};
