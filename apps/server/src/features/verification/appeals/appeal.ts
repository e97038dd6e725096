import { browserHash } from '../../../http/pages/cookies.ts';
import { readForm } from '../../../http/pages/read-form.ts';
import { newId } from '../../../kernel/ids.ts';
import { sendBlocked } from '../check/blocked-page.tsx';
import { findPassage } from '../passages/queries.ts';
import { checkPath } from '../paths.ts';
import type { Door } from '../queries.ts';
import { sendStartAgain } from '../start-again.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';
import { insertAppeal } from './queries.ts';
import { appealMessage, longestAppeal } from './rules.ts';

/** One message to the owner from somebody who was turned away, in the browser where that happened. */
export const takeAppeal = async (context: PageContext, door: Door, tools: VerificationTools) => {
  const form = await readForm(context, tools.baseUrl);
  const passage = await findPassage(tools.db, browserHash(context), door.id);
  if (!passage) return sendStartAgain(context, 'lost', door.id);
  const { blockReason: reason, accountId, serverId, platformId, username } = passage;
  if (!reason) return context.redirect(checkPath(door.id), 303);
  const message = appealMessage(form.message);
  if (message === undefined) {
    const sentence = `Please write between 1 and ${longestAppeal} characters.`;
    const trouble = { message: (form.message ?? '').slice(0, longestAppeal * 4), sentence };
    return sendBlocked(context, door, passage, tools, trouble);
  }
  const appeal = { id: newId(), accountId, serverId, platformId, username, reason, message };
  await insertAppeal(tools.db, appeal);
  return context.redirect(checkPath(door.id), 303);
};
