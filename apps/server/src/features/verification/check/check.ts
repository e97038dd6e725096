import { addressOf } from '../../../http/limits/address-limit.ts';
import { readForm } from '../../../http/pages/read-form.ts';
import { sendBlocked } from '../appeals/blocked-page.tsx';
import { verifyCaptcha } from '../captcha/verify-captcha.ts';
import { blockVerification, completeVerification } from '../complete/complete-verification.ts';
import { sendErrorPage } from '../pages/error-pages.tsx';
import { checkPath, donePath, findPending, type PageRequest } from '../pages/page-context.ts';
import { recordUndecided } from '../queries/attempts.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import { decide, isAltDetectionOn, type Withheld, withheldFrom } from '../rules.ts';
import { sendCaptchaFailed, sendCheck, sendHeld, sendNoFingerprint } from './check-page.tsx';
import { readNewcomer } from './newcomer.ts';
import { loadRuleset } from './ruleset.ts';

export const showCheck = async (request: PageRequest) => {
  const { context, server } = request;
  const pending = await findPending(request);
  if (!pending) return sendErrorPage(context, 'stateInvalid', server.id);
  if (pending.outcome === 'verified') return context.redirect(donePath(server.id), 303);
  if (pending.outcome === 'blocked') return sendBlocked(request, pending);
  return sendCheck(request, pending);
};

/** The captcha first, then the checks. */
export const submitCheck = async (request: PageRequest) => {
  const { context, server } = request;
  const form = await readForm(context, request.baseUrl);
  const pending = await findPending(request);
  if (!pending) return sendErrorPage(context, 'stateInvalid', server.id);
  if (pending.outcome === null) {
    const result = pending.hasPassedCaptcha
      ? 'passed'
      : await verifyCaptcha(request, pending, form);
    if (result !== 'passed') return sendCaptchaFailed(request, result);
    const withheld = await runChecks(request, pending, form.fingerprint);
    if (withheld === 'guilds') return sendErrorPage(context, 'scopesChanged', server.id);
    if (withheld === 'fingerprint') return sendNoFingerprint(request);
    if (withheld === 'decision') return sendHeld(request);
  }
  return context.redirect(checkPath(server.id), 303);
};

/** Completes or blocks the verification, unless the newcomer withheld something a check needs. */
const runChecks = async (
  request: PageRequest,
  pending: PendingVerification,
  device: string | undefined,
): Promise<Withheld | 'decision' | undefined> => {
  const address = addressOf(request.context, request);
  const newcomer = await readNewcomer(request, pending, { address, device });
  const ruleset = await loadRuleset(request, pending.metRules);
  // The ruleset holds the answer about the guilds; here it only matters whether it is known.
  const guildIds = pending.metRules.isUnknown ? null : [];
  const decision = decide({ ...newcomer.facts, guildIds }, ruleset);
  const provided = { scopes: pending.scopes, fingerprint: newcomer.facts.fingerprint };
  const withheld = withheldFrom(decision, ruleset, provided);
  if (withheld) return withheld;
  // Whoever the owner has let in by name need not wait for the decision about the others.
  const isExpected = decision.allowed && decision.by === 'WHITELIST';
  if (!isExpected && (await request.isHeld(request.db, pending))) return 'decision';
  const { undecided } = decision;
  if (undecided.length > 0) {
    const { attemptId, serverId } = pending;
    request.log.warn(
      { attemptId, serverId, undecided },
      'checks were skipped because their data was unavailable',
    );
    await recordUndecided(request.db, pending, undecided);
  }
  if (decision.allowed) {
    const blocksAlts = isAltDetectionOn(ruleset) && decision.by !== 'WHITELIST';
    await completeVerification(request, pending, { ...newcomer, blocksAlts });
  } else {
    await blockVerification(request, pending, decision.reason);
  }
  return undefined;
};
