import type { Database } from '../../../db/connect.ts';
import type { Caller } from '../../../http/context.ts';
import { withinDeadline } from '../../../kernel/deadline.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { Log } from '../../../kernel/log.ts';
import { isWellFormedKey } from '../rules.ts';
import { findLiveKey, touchKey } from './queries.ts';

/** A key is looked up again after this time, so a revocation reaches every process within it. */
const cachedMs = 1000;
const maxCached = 10_000;
const lookUpDeadline = { ms: 4500, lastMs: 4500 };

type CachedCaller = { caller: Promise<Caller | undefined>; hash: string; until: number };

/** Finds the caller of a well-formed key. */
export const createAuthenticator = (db: Database, log: Log) => {
  const cache = new Map<string, CachedCaller>();

  const lookUp = async (hash: string): Promise<Caller | undefined> => {
    const key = await withinDeadline(lookUpDeadline, () => findLiveKey(db, hash));
    if (!key) return undefined;
    touchKey(db, key.id).catch((err) =>
      log.warn({ err }, 'the last use of a key could not be stored'),
    );
    // A key works without a person who could confirm a change.
    return { ...key, actor: { type: 'KEY', id: key.id }, secondFactor: 'off' };
  };

  const findAndCache = (key: string): Promise<Caller | undefined> => {
    if (cache.size >= maxCached) cache.clear();
    const hash = sha256Hex(key);
    const caller = lookUp(hash);
    cache.set(key, { caller, hash, until: performance.now() + cachedMs });
    // A failed query is not cached: the next request tries again.
    caller.catch(() => cache.delete(key));
    return caller;
  };

  const authenticate = async (key: string): Promise<Caller | undefined> => {
    const cached = cache.get(key);
    if (cached && cached.until > performance.now()) return cached.caller;
    return findAndCache(key);
  };

  const forgetKey = (hash: string): void => {
    for (const [key, cached] of cache) if (cached.hash === hash) cache.delete(key);
  };

  return { isWellFormedKey, authenticate, forgetKey };
};
