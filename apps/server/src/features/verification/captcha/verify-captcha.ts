import type { Database } from '../../../db/connect.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { PageRequest } from '../pages/page-context.ts';
import { advanceAttempt, blockAttempt } from '../queries/attempts.ts';
import { claimSolution, markCaptchaPassed } from '../queries/captcha.ts';
import type { PendingVerification } from '../queries/pending-verifications.ts';
import type { VerificationServer } from '../queries/servers.ts';
import { verifyProofOfWork } from './proof-of-work.ts';
import {
  type CaptchaResult,
  type CaptchaSettings,
  providers,
  verifyWithProvider,
} from './provider.ts';

/**
 * A server whose provider the operator has no account with falls back to the proof of work: no one
 * could pass otherwise, and without a captcha everyone would.
 */
export const effectiveCaptcha = (
  { captchaType }: Pick<VerificationServer, 'captchaType'>,
  { siteKey, secret }: CaptchaSettings,
): VerificationServer['captchaType'] => {
  const needsAccount = captchaType === 'TURNSTILE' || captchaType === 'HCAPTCHA';
  return needsAccount && (siteKey === undefined || secret === undefined) ? 'POW' : captchaType;
};

/** Records that the captcha was passed, or that its solution was wrong. */
export const verifyCaptcha = async (
  request: PageRequest,
  pending: PendingVerification,
  form: Record<string, string>,
): Promise<CaptchaResult> => {
  const { db, log, server } = request;
  const { result, solutionHash } = await checkForm(request, pending, form);
  if (result === 'wrong') await blockAttempt(db, pending, 'CAPTCHA');
  if (result === 'unreachable') {
    log.warn({ serverId: server.id }, 'the captcha provider gave no usable answer');
  }
  if (result !== 'passed') return result;
  return (await storePassed(db, pending, solutionHash)) ? 'passed' : 'stale';
};

const checkForm = async (
  { ring, captcha, server }: PageRequest,
  pending: PendingVerification,
  form: Record<string, string>,
): Promise<{ result: CaptchaResult; solutionHash?: string }> => {
  const kind = effectiveCaptcha(server, captcha);
  if (kind === 'NONE') return { result: 'passed' };
  if (kind === 'POW') return verifyProofOfWork(ring, pending, form);
  const solution = form[providers[kind].field] ?? '';
  const result = await verifyWithProvider(captcha, kind, solution);
  return { result, solutionHash: sha256Hex(solution) };
};

/** False if the solution was used before. */
const storePassed = (
  db: Database,
  pending: PendingVerification,
  solutionHash: string | undefined,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (solutionHash !== undefined && !(await claimSolution(tx, solutionHash))) return false;
    await markCaptchaPassed(tx, pending);
    await advanceAttempt(tx, pending, 'captchaPassed');
    return true;
  });
