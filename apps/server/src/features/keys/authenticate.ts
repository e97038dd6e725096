import type { Database } from '../../db/connect.ts';
import type { Caller } from '../../http/caller.ts';
import type { Log } from '../../kernel/log.ts';
import { sha256Hex } from '../../kernel/sha256.ts';
import { findLiveKey, touchKey } from './queries.ts';
import { isWellFormedKey } from './rules.ts';

/** A key is looked up again after this time: so soon does every process feel a revocation. */
const rememberedMs = 1000;
const mostRemembered = 10_000;

type Remembered = { caller: Promise<Caller | undefined>; until: number };

/** Finds the caller of a key. What is not formed like a key never reaches the database. */
export const createAuthenticator = (db: Database, log: Log) => {
  const remembered = new Map<string, Remembered>();

  const lookUp = async (hash: string): Promise<Caller | undefined> => {
    const key = await findLiveKey(db, hash);
    if (!key) return undefined;
    touchKey(db, key.keyId).catch((err) => log.warn({ err }, 'last use of a key not noted'));
    return { keyId: key.keyId, userId: key.userId, plan: key.plan, scopes: key.scopes };
  };

  const authenticate = (key: string): Promise<Caller | undefined> => {
    if (!isWellFormedKey(key)) return Promise.resolve(undefined);
    const hash = sha256Hex(key);
    const now = performance.now();
    const known = remembered.get(hash);
    if (known && known.until > now) return known.caller;

    if (remembered.size >= mostRemembered) remembered.clear();
    const caller = lookUp(hash);
    remembered.set(hash, { caller, until: now + rememberedMs });
    // A failed question is no answer: the next request asks again.
    caller.catch(() => remembered.delete(hash));
    return caller;
  };

  return { authenticate, forgetKey: (hash: string) => void remembered.delete(hash) };
};
