import type { HoldfastOptions } from '@holdfast/sdk';
import type { Io } from './io.ts';
import type { Output } from './output/output.ts';

/**
 * Says why nothing happens for a while: that the service asks to wait, or does not answer. A sentence for people,
 * and of a limit a line of JSON for programs, on standard error, since standard output has the result alone.
 */
export const waitNotices = (
  { stderr }: Pick<Io, 'stderr'>,
  output: Output,
): Required<Pick<HoldfastOptions, 'onResponse' | 'fetch'>> => {
  const tell = (text: string): void => {
    if (!stderr.isTTY) return;
    output.endStatus();
    output.note(text);
  };
  let isUnanswered = false;
  return {
    onResponse({ status, headers }) {
      const seconds = Number(headers.get('retry-after') ?? Number.NaN);
      if (status !== 429 || Number.isNaN(seconds)) return;
      tell(`Too many requests: the service asks to wait ${seconds} s.`);
      if (stderr.isTTY || output.isQuiet) return;
      stderr.write(`${JSON.stringify({ event: 'rateLimited', retryAfterSeconds: seconds })}\n`);
    },
    async fetch(url, init) {
      if (isUnanswered) tell(`No answer of ${new URL(url).origin} yet: trying again.`);
      isUnanswered = true;
      const response = await fetch(url, init);
      isUnanswered = false;
      return response;
    },
  };
};
