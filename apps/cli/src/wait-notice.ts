import type { HoldfastOptions } from '@holdfast/sdk';
import type { Io } from './io.ts';
import type { Output } from './output/output.ts';

type OnResponse = NonNullable<HoldfastOptions['onResponse']>;

/**
 * Says that the service asks to wait, which is why nothing happens for a while: a sentence for people, a line
 * of JSON for programs, both on standard error, since standard output has the result alone.
 */
export const waitNotice =
  ({ stderr }: Pick<Io, 'stderr'>, output: Output): OnResponse =>
  ({ status, headers }) => {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    if (status !== 429 || Number.isNaN(seconds)) return;
    if (stderr.isTTY) output.note(`Too many requests: the service asks to wait ${seconds} s.`);
    else if (!output.isQuiet) {
      stderr.write(`${JSON.stringify({ event: 'rateLimited', retryAfterSeconds: seconds })}\n`);
    }
  };
