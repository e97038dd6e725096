import type { LogRow } from '../platform/http/request-log.ts';

/** Calls the control API of a simulator. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Control = (method: string, path: string, body?: unknown) => Promise<any>;

/**
 * Where `PLATFORM_OPENAPI` names the platform's own description, a test's whole traffic is checked
 * against it at its end; otherwise nothing is. What a test deletes from the log is checked too.
 */
export const watchTraffic = async (control: Control, checked: 'both' | 'answers' = 'both') => {
  const source = process.env.PLATFORM_OPENAPI ?? '';
  if (source === '') return { control, check: async () => {} };
  // Loaded only here, since the validator is large.
  const { createTrafficCheck } = await import('./check-traffic.ts');
  const check = await createTrafficCheck(source, checked);
  const problems = new Set<string>();
  let isEnded = false;
  const readLog = async () => {
    const rows: LogRow[] = await control('GET', '/log');
    for (const problem of check(rows)) problems.add(problem);
  };
  await control('PUT', '/log', { keepsAnswers: true });
  const watched: Control = async (method, path, body) => {
    if (method === 'DELETE' && path === '/log') await readLog();
    return control(method, path, body);
  };
  return {
    control: watched,
    /** Throws if anything is not as the platform describes it. */
    check: async () => {
      if (isEnded) return;
      isEnded = true;
      await readLog();
      if (problems.size > 0) throw new Error(`Not as described:\n${[...problems].join('\n')}`);
    },
  };
};
