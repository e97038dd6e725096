/**
 * What became of a captcha. Only `wrong` counts against a newcomer: a solution that came too late or
 * was used before, a provider that does not answer, and a script that did not run are no fault of
 * theirs. None of them lets anybody in.
 */
export type CaptchaVerdict = 'passed' | 'wrong' | 'stale' | 'missing' | 'unreachable';
