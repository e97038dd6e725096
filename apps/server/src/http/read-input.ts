import type { Endpoint } from '@holdfast/contract';
import type { HonoRequest } from 'hono';
import { readIdempotencyKey } from './idempotency.ts';
import { type Input, parseInput } from './parse-input.ts';
import { readJsonObject } from './read-body.ts';

/** A request, read and parsed. */
export type ReadInput = Input & { idempotencyKey: string | undefined };

export const readInput = async (entry: Endpoint, request: HonoRequest): Promise<ReadInput> => {
  const body = entry.body ? await readJsonObject(request.raw) : undefined;
  const query = queryOf(request.url);
  const input = parseInput(entry, { params: request.param(), query, body });
  const idempotencyKey =
    entry.method === 'POST'
      ? readIdempotencyKey(request.raw.headers.get('idempotency-key'))
      : undefined;
  return { ...input, idempotencyKey };
};

const queryOf = (url: string): string => {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return url.slice(start, end < 0 ? undefined : end);
};
