import type { Context } from 'hono';
import { HttpError, invalid } from '../../kernel/errors.ts';
import type { HttpEnv } from '../context.ts';
import { readWithin } from '../endpoint/read-body.ts';

const largestFormBytes = 64 * 1024;

/** The fields of a form that one of our own pages sent (checked by the Origin header). */
export const readForm = async (
  context: Context<HttpEnv>,
  baseUrl: string,
): Promise<Record<string, string>> => {
  requireOwnOrigin(context, baseUrl);
  const type = context.req.header('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) {
    throw invalid({ formErrors: ['Send a form'] });
  }
  const bytes = await readWithin(context.req.raw, largestFormBytes);
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
};

/** Browsers send the origin of the page with every change; none, or another, is refused. */
export const requireOwnOrigin = (context: Context<HttpEnv>, baseUrl: string): void => {
  // Compared with the configured URL and not with the request's Host, which an attacker can choose.
  if (context.req.header('origin') === new URL(baseUrl).origin) return;
  throw new HttpError(403, 'This must be sent from a page of ours');
};
