import { z } from 'zod';
import type { Secret } from '../../../kernel/secret.ts';
import { fetchLimited } from '../../../platform/transport.ts';
import type { CaptchaVerdict } from './verdict.ts';

export type ProviderName = 'TURNSTILE' | 'HCAPTCHA';

/** The operator's account with a captcha provider; `verifyUrl` is the provider's own unless set. */
export type CaptchaSettings = { siteKey?: string; secret?: Secret; verifyUrl?: string };

type Provider = {
  verifyUrl: string;
  script: string;
  /** The class by which its script finds where to stand, and the field it fills in. */
  widget: string;
  field: string;
  /** What its script must be allowed beside ours. */
  policy: Record<string, string[]>;
};

const cloudflare = ['https://challenges.cloudflare.com'];
const hcaptcha = ['https://hcaptcha.com', 'https://*.hcaptcha.com'];

export const providers: Record<ProviderName, Provider> = {
  TURNSTILE: {
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    widget: 'cf-turnstile',
    field: 'cf-turnstile-response',
    policy: { 'script-src': cloudflare, 'frame-src': cloudflare },
  },
  HCAPTCHA: {
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    script: 'https://js.hcaptcha.com/1/api.js',
    widget: 'h-captcha',
    field: 'h-captcha-response',
    policy: {
      'script-src': hcaptcha,
      'frame-src': hcaptcha,
      'style-src': hcaptcha,
      'connect-src': hcaptcha,
    },
  },
};

const timeoutMs = 5000;
const largestAnswerBytes = 64 * 1024;
const longestSolution = 8192;
const answer = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).default([]),
});

/** Asks the provider, and tells it no more than the solution: not who, and not from where. */
export const askProvider = async (
  { secret, verifyUrl }: CaptchaSettings,
  name: ProviderName,
  solution: string,
): Promise<CaptchaVerdict> => {
  if (solution === '') return 'missing';
  if (!secret || solution.length > longestSolution) return 'wrong';
  const body = new URLSearchParams({ secret: secret.reveal(), response: solution });
  try {
    const response = await fetchLimited(
      verifyUrl ?? providers[name].verifyUrl,
      { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) },
      largestAnswerBytes,
    );
    const parsed = answer.safeParse(await response.json());
    return parsed.success ? verdictOf(parsed.data) : 'unreachable';
  } catch {
    // Whatever kept us from an answer, it may carry the secret: only that there was none is told.
    return 'unreachable';
  }
};

const verdictOf = (told: z.output<typeof answer>): CaptchaVerdict => {
  if (told.success) return 'passed';
  const codes = told['error-codes'].join(' ');
  // The operator's own settings are wrong: nothing the newcomer did.
  if (/secret|sitekey|bad-request|internal-error/.test(codes)) return 'unreachable';
  return /timeout|duplicate|expired|already-seen/.test(codes) ? 'stale' : 'wrong';
};
