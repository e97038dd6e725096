import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findKey } from './queries.ts';

type Caller = { id: string; accountId: string; plan: string; scopes: string[] };

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

const rememberedMs = 1000;
const remembered = new Map<string, { caller: Promise<Caller | undefined>; until: number }>();

const lookUp = async (key: string): Promise<Caller | undefined> => {
  const row = await findKey(createHash('sha256').update(key).digest('hex'));
  return row && { id: row.id, accountId: row.account_id, plan: row.plan, scopes: row.scopes };
};

const findCaller = (key: string): Promise<Caller | undefined> => {
  const known = remembered.get(key);
  if (known && known.until > performance.now()) return known.caller;
  const caller = lookUp(key);
  remembered.set(key, { caller, until: performance.now() + rememberedMs });
  return caller;
};

const windowMs = 10_000;
const windows = new Map<string, { count: number; endsAt: number }>();

const countRequest = (id: string) => {
  const now = Date.now();
  let window = windows.get(id);
  if (!window || window.endsAt <= now) {
    window = { count: 0, endsAt: now + windowMs };
    windows.set(id, window);
  }
  window.count += 1;
  return window;
};

/** An account's keys together have so many times the rate of one. */
const accountFactor = 5;

/** As long as its windows last, for the key and for the account. */
const limitRate = (reply: FastifyReply, { id, accountId }: Caller, limit: number): boolean => {
  const own = countRequest(`key:${id}`);
  const shared = countRequest(`account:${accountId}`);
  const remaining = Math.min(limit - own.count, limit * accountFactor - shared.count);
  reply.header('X-RateLimit-Limit', limit);
  reply.header('X-RateLimit-Remaining', Math.max(0, remaining));
  reply.header('X-RateLimit-Reset', Math.ceil(own.endsAt / 1000));
  return remaining >= 0;
};

type Limits = Record<string, { apiRatePerTenSeconds: number }>;

/** A hook for every request: the key, then the rate. */
export const authenticate =
  (plans: Limits) => async (request: FastifyRequest, reply: FastifyReply) => {
    const header = request.headers.authorization ?? '';
    const key = header.startsWith('Bearer ') ? header.slice('Bearer '.length) : '';
    const caller = key === '' ? undefined : await findCaller(key);
    if (!caller) return reply.code(401).send({ error: 'Missing, invalid or revoked API key' });
    const limit = plans[caller.plan]?.apiRatePerTenSeconds ?? 0;
    if (!limitRate(reply, caller, limit)) {
      return reply.code(429).send({ error: 'Rate limit exceeded' });
    }
    request.caller = caller;
  };

export const requireScope =
  (scope: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    const scopes = request.caller?.scopes ?? [];
    if (!scopes.includes('*') && !scopes.includes(scope)) {
      return reply.code(403).send({ error: `Missing required scope: ${scope}` });
    }
  };
