import type { Context } from 'hono';
import { invalid, Refusal } from '../../kernel/errors.ts';
import type { HttpEnv } from '../admission.ts';
import { readWithin } from '../read-body.ts';

const largestFormBytes = 64 * 1024;

/**
 * The fields of a form that one of our own pages sent: other sites' pages are told apart by the
 * origin, which every browser names when it posts.
 */
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

/** Browsers name the page a change comes from; whoever names none, or another, is refused. */
export const requireOwnOrigin = (context: Context<HttpEnv>, baseUrl: string): void => {
  // Never compared with the request's own host, which whoever controls a name can choose.
  if (context.req.header('origin') === new URL(baseUrl).origin) return;
  throw new Refusal(403, 'This must be sent from a page of ours');
};
