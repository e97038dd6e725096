import { errorCode } from '../../../kernel/describe-error.ts';

/** `detail` is what was found, `advice` what to do about it. Neither ever holds a secret. */
export type Verdict = {
  state: 'ok' | 'warning' | 'problem';
  detail: string;
  advice: string | null;
};
export type Finding = { check: string } & Verdict;

export type Check = {
  name: string;
  /** Each has a limit of its own, so that one address that does not answer holds up nothing else. */
  withinMs?: number;
  run(): Promise<Verdict[]>;
};

export const ok = (detail: string): Verdict => ({ state: 'ok', detail, advice: null });
export const warning = (detail: string, advice: string): Verdict => ({
  state: 'warning',
  detail,
  advice,
});
export const problem = (detail: string, advice: string): Verdict => ({
  state: 'problem',
  detail,
  advice,
});

const usualMs = 10_000;

/** All at once, in the order of the list. */
export const runChecks = async (checks: readonly Check[]): Promise<Finding[]> =>
  (await Promise.all(checks.map(runCheck))).flat();

const runCheck = async ({ name, withinMs = usualMs, run }: Check): Promise<Finding[]> => {
  const { promise: late, resolve } = Promise.withResolvers<Verdict[]>();
  const timer = setTimeout(
    () =>
      resolve([
        problem(
          `no result within ${withinMs / 1000} s`,
          'Something accepts the connection and does not answer: look at it and at the network before it.',
        ),
      ]),
    withinMs,
  );
  try {
    const verdicts = await Promise.race([run().catch(failed), late]);
    return verdicts.map((verdict) => ({ check: name, ...verdict }));
  } finally {
    clearTimeout(timer);
  }
};

/** Without the error's message, which may quote an address with its password. */
const failed = (error: unknown): Verdict[] => {
  if (error instanceof NotChecked) return [warning('not checked', error.message)];
  return [problem(`the check itself failed: ${nameOf(error)}`, 'Run it again.')];
};

/** What a check needs is not there, and another finding says so. */
export class NotChecked extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotChecked';
  }
}

/** The code or the class of an error: safe to print. */
export const nameOf = (error: unknown): string =>
  errorCode(error) ?? (error instanceof Error ? error.name : typeof error);

const warnSkewMs = 5000;
const worstSkewMs = 60_000;

/** By how much another clock differs from this machine's, where it was read within `tookMs`. */
export const judgeClock = (whose: string, skewMs: number, precisionMs: number): Verdict => {
  const beyondMs = Math.max(0, Math.abs(skewMs) - precisionMs);
  const side = skewMs > 0 ? 'behind' : 'ahead of';
  const seconds = Math.round(beyondMs / 1000);
  if (beyondMs <= warnSkewMs) return ok(`this machine's clock agrees with ${whose}`);
  const judge = beyondMs > worstSkewMs ? problem : warning;
  return judge(
    `this machine's clock is ${seconds} s ${side} ${whose}`,
    'Let both machines take their time from NTP: signatures, sign-ins and second factors depend on it.',
  );
};
