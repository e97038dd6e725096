import type { Database, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { invalidField, tooManyWrongCodes } from '../../../kernel/errors.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { lockSecondFactor, noteGoodCode, noteWrongCode, useRecoveryCode } from './queries.ts';
import { plainRecoveryCode, stepOfCode, wrongCodesAllowed } from './rules.ts';
import { openFactor } from './sealed.ts';

export type CodeTools = { db: Database; ring: KeyRing; clock: Clock };

export type CodeVerdict =
  | { kind: 'good' }
  | { kind: 'wrong' }
  | { kind: 'none' }
  | { kind: 'locked'; seconds: number };

/**
 * Looks at a code in a transaction of its own: a wrong one counts, whatever becomes of the request
 * that brought it.
 */
export const checkCode = (
  { db, ring, clock }: CodeTools,
  accountId: string,
  code: string,
): Promise<CodeVerdict> =>
  db.transaction(async (tx) => {
    const factor = await lockSecondFactor(tx, accountId);
    if (!factor) return { kind: 'none' };
    if (factor.lockedSeconds > 0) return { kind: 'locked', seconds: factor.lockedSeconds };
    const secret = openFactor(ring, accountId, factor.secret);
    const { lastStep } = factor;
    const step = stepOfCode(secret, code.trim(), { now: clock.now(), lastStep });
    const isGood = step !== undefined || (factor.isOn && (await isRecoveryCode(tx, accountId, code)));
    if (isGood) {
      await noteGoodCode(tx, accountId, step ?? lastStep);
      return { kind: 'good' };
    }
    const failures = factor.failures + 1;
    await noteWrongCode(tx, accountId, { failures, isLast: failures >= wrongCodesAllowed });
    return { kind: 'wrong' };
  });

const isRecoveryCode = (tx: Transaction, accountId: string, code: string): Promise<boolean> =>
  useRecoveryCode(tx, accountId, sha256Hex(plainRecoveryCode(code)));

/** Refuses the request unless the code was good; a missing factor is for the caller to refuse. */
export const requireGoodCode = (verdict: CodeVerdict): void => {
  if (verdict.kind === 'wrong') {
    throw invalidField('code', 'This code is wrong, or was used before: wait for the next one');
  }
  if (verdict.kind === 'locked') throw tooManyWrongCodes(verdict.seconds);
};
