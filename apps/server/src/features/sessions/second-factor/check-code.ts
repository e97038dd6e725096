import type { Database, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { invalidField, tooManyWrongCodes } from '../../../kernel/errors.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { openFactor } from './factor-secret.ts';
import { lockSecondFactor, recordGoodCode, recordWrongCode, useRecoveryCode } from './queries.ts';
import { normalizeRecoveryCode, stepOfCode, wrongCodesAllowed } from './rules.ts';

export type CodeDependencies = { db: Database; ring: KeyRing; clock: Clock };

export type CodeVerdict =
  | { kind: 'good' }
  | { kind: 'wrong' }
  | { kind: 'none' }
  | { kind: 'locked'; seconds: number };

/** Checks a code in its own transaction, so that a wrong one counts even where the request is rolled back. */
export const checkCode = (
  { db, ring, clock }: CodeDependencies,
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
    const isGood =
      step !== undefined || (factor.isOn && (await isRecoveryCode(tx, accountId, code)));
    if (isGood) {
      await recordGoodCode(tx, accountId, step ?? lastStep);
      return { kind: 'good' };
    }
    const failures = factor.failures + 1;
    await recordWrongCode(tx, accountId, { failures, isLast: failures >= wrongCodesAllowed });
    return { kind: 'wrong' };
  });

const isRecoveryCode = (tx: Transaction, accountId: string, code: string): Promise<boolean> =>
  useRecoveryCode(tx, accountId, sha256Hex(normalizeRecoveryCode(code)));

/** Throws unless the code was good; the caller handles an account without a second factor. */
export const requireGoodCode = (verdict: CodeVerdict): void => {
  if (verdict.kind === 'wrong') {
    throw invalidField('code', 'This code is wrong, or was used before: wait for the next one');
  }
  if (verdict.kind === 'locked') throw tooManyWrongCodes(verdict.seconds);
};
