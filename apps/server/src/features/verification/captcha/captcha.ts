import type { Database } from '../../../db/connect.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { blockAttempt, raiseAttempt } from '../attempts/queries.ts';
import { type StoredPassage, storePassedCaptcha } from '../passages/queries.ts';
import type { Door } from '../queries.ts';
import type { VerificationTools } from '../tools.ts';
import { checkSolution } from './proof-of-work.ts';
import { askProvider, type CaptchaSettings, providers } from './provider.ts';
import { useSolution } from './queries.ts';
import type { CaptchaVerdict } from './verdict.ts';

/**
 * A server that asks for a provider whom the operator has no account with falls back to the proof of
 * work: better than a door that nobody can pass, and than one that stands open.
 */
export const captchaOf = (
  { captchaType }: Pick<Door, 'captchaType'>,
  { siteKey, secret }: CaptchaSettings,
): Door['captchaType'] => {
  const needsAccount = captchaType === 'TURNSTILE' || captchaType === 'HCAPTCHA';
  return needsAccount && (siteKey === undefined || secret === undefined) ? 'POW' : captchaType;
};

/** Looks at what was sent, and writes down that it passed, or that it was clearly wrong. */
export const takeCaptcha = async (
  tools: VerificationTools,
  door: Door,
  passage: StoredPassage,
  form: Record<string, string>,
): Promise<CaptchaVerdict> => {
  const { verdict, solutionHash } = await look(tools, door, passage, form);
  if (verdict === 'wrong') await blockAttempt(tools.db, passage, 'CAPTCHA');
  if (verdict === 'unreachable') {
    tools.log.warn({ serverId: door.id }, 'the captcha provider gave no usable answer');
  }
  if (verdict !== 'passed') return verdict;
  return (await storePassed(tools.db, passage, solutionHash)) ? 'passed' : 'stale';
};

const look = async (
  { ring, captcha }: VerificationTools,
  door: Door,
  passage: StoredPassage,
  form: Record<string, string>,
): Promise<{ verdict: CaptchaVerdict; solutionHash?: string }> => {
  const kind = captchaOf(door, captcha);
  if (kind === 'NONE') return { verdict: 'passed' };
  if (kind === 'POW') return checkSolution(ring, passage, form);
  const solution = form[providers[kind].field] ?? '';
  return { verdict: await askProvider(captcha, kind, solution), solutionHash: sha256Hex(solution) };
};

/** False where the solution was used before. */
const storePassed = (
  db: Database,
  passage: StoredPassage,
  solutionHash: string | undefined,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (solutionHash !== undefined && !(await useSolution(tx, solutionHash))) return false;
    await storePassedCaptcha(tx, passage);
    await raiseAttempt(tx, passage, 'captchaPassed');
    return true;
  });
