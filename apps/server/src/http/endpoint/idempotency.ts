import type { Transaction } from '../../db/connect.ts';
import { conflict, invalidField } from '../../kernel/errors.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { findStoredAnswer, storeAnswer, tryLockRequest } from '../queries.ts';
import type { JsonAnswer } from './answer.ts';

type RepeatableRequest = {
  callerId: string;
  idempotencyKey: string;
  /** Identifies the request: method, path and parsed input. */
  request: unknown[];
  showsSecret: boolean;
  /** The caller's account, where the answer can name people. */
  peopleOfAccountId: string | null;
};

/** The header's value; undefined where the request carries none. */
export const readIdempotencyKey = (header: string | null): string | undefined => {
  if (header === null) return undefined;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField('Idempotency-Key', 'Must be 1 to 255 printable ASCII characters');
};

/**
 * Runs `work` once per key: its answer is stored in the transaction that did the work, so that after a
 * crash both are there or neither. Only a success is stored: an error throws and rolls back.
 */
export const answerOnce = async (
  tx: Transaction,
  repeatable: RepeatableRequest,
  work: () => Promise<JsonAnswer>,
): Promise<JsonAnswer> => {
  if (!(await tryLockRequest(tx, repeatable))) {
    throw conflict('A request with this Idempotency-Key is still running');
  }
  const { callerId, idempotencyKey, showsSecret, peopleOfAccountId } = repeatable;
  const requestHash = sha256Hex(canonicalJson(repeatable.request));
  const earlier = await findStoredAnswer(tx, repeatable);
  if (earlier) return replay(earlier, requestHash);

  const answer = await work();
  const { status } = answer;
  const body = showsSecret ? null : textOf(answer);
  const request = { callerId, idempotencyKey, requestHash, peopleOfAccountId };
  await storeAnswer(tx, { ...request, status, body });
  return answer;
};

const textOf = ({ body }: JsonAnswer): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body);

const replay = (
  stored: { requestHash: string; status: number; body: string | null },
  requestHash: string,
): JsonAnswer => {
  if (stored.requestHash !== requestHash) {
    throw conflict('This Idempotency-Key was used for another request');
  }
  if (stored.body === null) {
    throw conflict('The answer to this Idempotency-Key showed a secret once and is not kept');
  }
  return { status: stored.status, body: stored.body, isReplayed: true };
};
