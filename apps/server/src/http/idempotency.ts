import type { Transaction } from '../db/connect.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { conflict, invalidField } from '../kernel/errors.ts';
import { sha256Hex } from '../kernel/sha256.ts';
import type { JsonAnswer } from './answer.ts';
import { findKeptAnswer, keepAnswer, tryLockRequest } from './queries.ts';

type Repeatable = {
  callerId: string;
  idempotencyKey: string;
  /** What makes it this request and no other: everything in it that was understood. */
  request: unknown[];
  showsSecret: boolean;
  /** The caller's account, where the answer can name people. */
  peopleOfUserId: string | null;
};

/** The header's value; undefined where the request carries none. */
export const readIdempotencyKey = (header: string | null): string | undefined => {
  if (header === null) return undefined;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField('Idempotency-Key', 'Must be 1 to 255 printable ASCII characters');
};

/**
 * Runs `work` once for each key: its answer is kept in the transaction that did the work, so that
 * both are there after a crash or neither is. Only success is kept: a refusal throws and rolls back.
 */
export const answerOnce = async (
  tx: Transaction,
  repeatable: Repeatable,
  work: () => Promise<JsonAnswer>,
): Promise<JsonAnswer> => {
  if (!(await tryLockRequest(tx, repeatable))) {
    throw conflict('A request with this Idempotency-Key is still running');
  }
  const { callerId, idempotencyKey, showsSecret, peopleOfUserId } = repeatable;
  const requestHash = sha256Hex(canonicalJson(repeatable.request));
  const earlier = await findKeptAnswer(tx, repeatable);
  if (earlier) return replay(earlier, requestHash);

  const answer = await work();
  const keptBody = showsSecret ? null : answer.body;
  const kept = { ...answer, body: keptBody, peopleOfUserId };
  await keepAnswer(tx, { callerId, idempotencyKey, requestHash, ...kept });
  return answer;
};

const replay = (
  kept: { requestHash: string; status: number; body: string | null },
  requestHash: string,
): JsonAnswer => {
  if (kept.requestHash !== requestHash) {
    throw conflict('This Idempotency-Key was used for another request');
  }
  if (kept.body === null) {
    throw conflict('The answer to this Idempotency-Key showed a secret once and is not kept');
  }
  return { status: kept.status, body: kept.body, isReplayed: true };
};
