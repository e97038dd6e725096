import { keepBrowser } from '../../../http/pages/cookies.ts';
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
  const { browserHash } = pending;
  if (!reason) return context.redirect(checkPath(server.id), 303);
  const message = appealMessage(form.message);
  if (message === undefined) {
    const typed = (form.message ?? '').slice(0, longestAppealLength * 4);
    return sendBlocked(request, pending, { message: typed });
  }
  const appeal = {
    ...{ id: newId(), accountId, serverId, platformId, username, browserHash, reason, message },
  };
  await db.transaction(async (tx) => {
    // One who has an open appeal adds no other.
    if (!(await insertAppeal(tx, appeal))) return;
    await raiseAlert(tx, request, { accountId, serverId, kind: 'APPEAL_OPENED', facts: {} });
  });
  // An owner may decide days later; the person then finds the decision in this browser.
  keepBrowser(context, decisionSeconds);
  return context.redirect(checkPath(server.id), 303);
};

const decisionSeconds = 30 * 24 * 60 * 60;
