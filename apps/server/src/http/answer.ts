import { answerBody, type Endpoint } from '@holdfast/contract';
import type { Context } from 'hono';
import type { HttpEnv } from './admission.ts';
import { compileEncoder } from './compile-encoder.ts';

/** An answer in the form in which it is sent, and kept for a repeat. */
export type JsonAnswer = { status: number; body: string; isReplayed?: boolean };

export type Encode = (result: unknown, query: unknown) => JsonAnswer;

/** Only what the contract names can leave: everything else is stripped here. */
export const answerEncoder = (entry: Endpoint): Encode => {
  const encode = compileEncoder(answerBody(entry));
  return (result, query) => {
    const body = entry.paginated ? pageBody(result, query) : { data: result };
    return { status: entry.status, body: JSON.stringify(encode(body)) };
  };
};

const pageBody = (result: unknown, query: unknown) => {
  // The contract gives every paginated entry these two shapes, and `Answer` makes handlers keep them.
  const { rows, total } = result as { rows: unknown[]; total: number };
  const { page, limit } = query as { page: number; limit: number };
  return { data: rows, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
};

/** One response with all its headers: setting them one by one is felt at ten thousand a second. */
export const sendAnswer = (
  context: Context<HttpEnv>,
  { status, body, isReplayed }: JsonAnswer,
): Response => {
  const headers = context.get('headers');
  headers['Content-Type'] = 'application/json';
  if (isReplayed) headers['Idempotency-Replayed'] = 'true';
  return new Response(body, { status, headers });
};
