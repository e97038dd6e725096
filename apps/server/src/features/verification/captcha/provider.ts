import { z } from 'zod';
import type { Secret } from '../../../kernel/secret.ts';
import { fetchLimited } from '../../../platform/client/transport.ts';

/**
 * Only `wrong` counts against the newcomer: a solution that came too late or was used before, a
 * provider that does not answer, and a script that did not run are not their fault.
 */
export type CaptchaResult = 'passed' | 'wrong' | 'stale' | 'missing' | 'unreachable';

export type ProviderName = 'TURNSTILE' | 'HCAPTCHA';

/** The operator's account with a captcha provider; `verifyUrl` is the provider's own unless set. */
export type CaptchaSettings = { siteKey?: string; secret?: Secret; verifyUrl?: string };

type Provider = {
  verifyUrl: string;
  script: string;
  /** The class of the element that its script fills, and the form field it adds. */
  widget: string;
  field: string;
  /** What the page's content security policy must allow it. */
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

/** Sends the provider the solution only, neither the person nor their address. */
export const verifyWithProvider = async (
  { secret, verifyUrl }: CaptchaSettings,
  name: ProviderName,
  solution: string,
): Promise<CaptchaResult> => {
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
    return parsed.success ? resultOf(parsed.data) : 'unreachable';
  } catch {
    // The error is not logged: it may contain the secret.
    return 'unreachable';
  }
};

const resultOf = (parsed: z.output<typeof answer>): CaptchaResult => {
  if (parsed.success) return 'passed';
  const codes = parsed['error-codes'].join(' ');
  // The operator's settings are wrong, which is not the newcomer's fault.
  if (/secret|sitekey|bad-request|internal-error/.test(codes)) return 'unreachable';
  return /timeout|duplicate|expired|already-seen/.test(codes) ? 'stale' : 'wrong';
};
