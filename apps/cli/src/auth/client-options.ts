import type { HoldfastOptions } from '@holdfast/sdk';
import packageJson from '../../package.json' with { type: 'json' };
import { CommandError } from '../exit-codes.ts';
import type { Environment } from './private-files.ts';

/** Sent with every request. */
export const userAgent = `holdfast-cli/${packageJson.version}`;

/** How this program calls a service, whether it has a key for it or not. */
export const clientOptions = (
  env: Environment,
  { url, key }: { url: string; key?: string },
): HoldfastOptions => ({
  ...{ baseUrl: url, key, userAgent },
  ...(env.HOLDFAST_TIMEOUT && { timeoutMs: milliseconds(env.HOLDFAST_TIMEOUT) }),
});

const milliseconds = (seconds: string): number => {
  const ms = Number(seconds) * 1000;
  if (ms > 0 && ms <= 3_600_000) return ms;
  throw new CommandError('usage', 'HOLDFAST_TIMEOUT must be seconds, at most 3600');
};
