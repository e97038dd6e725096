import { addressOf } from '../../../http/pages/address-limit.ts';
import { browserHash } from '../../../http/pages/cookies.ts';
import { readForm } from '../../../http/pages/read-form.ts';
import { recordUndecided } from '../attempts/queries.ts';
import { takeCaptcha } from '../captcha/captcha.ts';
import { findPassage, type StoredPassage } from '../passages/queries.ts';
import { checkPath, donePath } from '../paths.ts';
import type { Door } from '../queries.ts';
import { decide, isAltDetectionOn, type Withheld, withheldFrom } from '../rules.ts';
import { sendStartAgain } from '../start-again.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';
import { sendBlocked } from './blocked-page.tsx';
import { sendCaptchaTrouble, sendCheck, sendNoFingerprint } from './check-page.tsx';
import { letIn, turnAway } from './let-in.ts';
import { lookAtNewcomer } from './newcomer.ts';
import { loadRulesetFor } from './ruleset.ts';

export const showCheck = async (context: PageContext, door: Door, tools: VerificationTools) => {
  const passage = await findPassage(tools.db, browserHash(context), door.id);
  if (!passage) return sendStartAgain(context, 'lost', door.id);
  if (passage.outcome === 'verified') return context.redirect(donePath(door.id), 303);
  if (passage.outcome === 'blocked') return sendBlocked(context, door, passage, tools);
  return sendCheck(context, door, passage, tools);
};

/** The captcha first, then whether this newcomer may come in at all. */
export const takeCheck = async (context: PageContext, door: Door, tools: VerificationTools) => {
  const form = await readForm(context, tools.baseUrl);
  const passage = await findPassage(tools.db, browserHash(context), door.id);
  if (!passage) return sendStartAgain(context, 'lost', door.id);
  if (passage.outcome === null) {
    const verdict = passage.hasPassedCaptcha
      ? 'passed'
      : await takeCaptcha(tools, door, passage, form);
    if (verdict !== 'passed') return sendCaptchaTrouble(context, door, verdict);
    const address = addressOf(context, tools);
    const withheld = await judge(tools, door, passage, { address, device: form.fingerprint });
    if (withheld === 'guilds') return sendStartAgain(context, 'changed', door.id);
    if (withheld === 'fingerprint') return sendNoFingerprint(context, door);
  }
  return context.redirect(checkPath(door.id), 303);
};

/** Settles it one way or the other, unless the newcomer still has to tell something. */
const judge = async (
  tools: VerificationTools,
  door: Door,
  passage: StoredPassage,
  seen: { address: string; device: string | undefined },
): Promise<Withheld | undefined> => {
  const newcomer = await lookAtNewcomer(tools, passage, seen);
  const { ruleset, guildIds } = await loadRulesetFor(tools, door, passage);
  const decision = decide({ ...newcomer.facts, guildIds }, ruleset);
  const told = { scopes: passage.scopes, fingerprint: newcomer.facts.fingerprint };
  const withheld = withheldFrom(decision, ruleset, told);
  if (withheld) return withheld;
  const { undecided } = decision;
  if (undecided.length > 0) {
    const { attemptId, serverId } = passage;
    tools.log.warn({ attemptId, serverId, undecided }, 'checks let pass what they could not know');
    await recordUndecided(tools.db, passage, undecided);
  }
  if (decision.allowed) {
    const refusesAlts = isAltDetectionOn(ruleset) && decision.by !== 'WHITELIST';
    await letIn(tools, passage, { ...newcomer, refusesAlts });
  } else {
    await turnAway(tools, passage, decision.reason);
  }
  return undefined;
};
