import { answerBody, type Endpoint } from '@holdfast/contract';
import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from './admission.ts';

/** An answer in the form in which it is sent, and kept for a repeat. */
export type JsonAnswer = { status: number; body: string; isReplayed?: boolean };

export type Encode = (result: unknown, query: unknown) => JsonAnswer;

/** Only what the contract names can leave: everything else is stripped here. */
export const answerEncoder = (entry: Endpoint): Encode => {
  const schema = answerBody(entry);
  return (result, query) => {
    const body = entry.paginated ? pageBody(result, query) : { data: result };
    return { status: entry.status, body: JSON.stringify(z.encode(schema, body)) };
  };
};

const pageBody = (result: unknown, query: unknown) => {
  // The contract gives every paginated entry these two shapes, and `Answer` makes handlers keep them.
  const { rows, total } = result as { rows: unknown[]; total: number };
  const { page, limit } = query as { page: number; limit: number };
  return { data: rows, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
};

export const sendAnswer = (
  context: Context<HttpEnv>,
  { status, body, isReplayed }: JsonAnswer,
): Response => {
  context.header('Content-Type', 'application/json');
  if (isReplayed) context.header('Idempotency-Replayed', 'true');
  // Hono wants a literal; the contract allows only 200, 201 and 202.
  return context.body(body, status as 200);
};
