import type { Database } from '../../db/connect.ts';
import type { Caller } from '../../http/caller.ts';
import { withinDeadline } from '../../kernel/deadline.ts';
import type { Log } from '../../kernel/log.ts';
import { sha256Hex } from '../../kernel/sha256.ts';
import { findLiveKey, touchKey } from './queries.ts';
import { isWellFormedKey } from './rules.ts';

/** A key is looked up again after this time: so soon does every process feel a revocation. */
const rememberedMs = 1000;
const mostRemembered = 10_000;
const lookUpDeadline = { ms: 4500, lastMs: 4500 };

type Remembered = { caller: Promise<Caller | undefined>; hash: string; until: number };

/** Finds the caller of a key. What is not formed like a key never reaches the database. */
export const createAuthenticator = (db: Database, log: Log) => {
  const remembered = new Map<string, Remembered>();

  const lookUp = async (hash: string): Promise<Caller | undefined> => {
    const key = await withinDeadline(lookUpDeadline, () => findLiveKey(db, hash));
    if (!key) return undefined;
    touchKey(db, key.id).catch((err) => log.warn({ err }, 'last use of a key not noted'));
    // Whoever minted it chose what it may do alone, without anybody at hand to confirm.
    return { ...key, actor: { type: 'KEY', id: key.id }, mustConfirm: false };
  };

  const remember = (key: string): Promise<Caller | undefined> => {
    if (remembered.size >= mostRemembered) remembered.clear();
    const hash = sha256Hex(key);
    const caller = lookUp(hash);
    remembered.set(key, { caller, hash, until: performance.now() + rememberedMs });
    // A failed question is no answer: the next request asks again.
    caller.catch(() => remembered.delete(key));
    return caller;
  };

  const authenticate = async (key: string): Promise<Caller | undefined> => {
    const known = remembered.get(key);
    if (known && known.until > performance.now()) return known.caller;
    return isWellFormedKey(key) ? remember(key) : undefined;
  };

  const forgetKey = (hash: string): void => {
    for (const [key, known] of remembered) if (known.hash === hash) remembered.delete(key);
  };

  return { authenticate, forgetKey };
};
