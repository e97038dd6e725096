import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { sealKeyIdOf } from '../../../db/queries/rewrap-column.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import type { SealedRows } from '../../../db/sealed/queries.ts';
import type { Actor } from '../../../http/handler.ts';
import { setMfaEnabled } from '../../accounts/queries.ts';
import { recordAudit } from '../../audit/queries.ts';
import { lockedMs } from './rules.ts';
import { recoveryCodes, secondFactors } from './table.ts';

/** Locked until the transaction ends, so that one code at a time is checked. */
export const lockSecondFactor = (tx: Transaction, accountId: string) =>
  firstRow(
    tx
      .select({
        secret: secondFactors.secret,
        isOn: sql<boolean>`${secondFactors.enabledAt} is not null`,
        lastStep: secondFactors.lastStep,
        failures: secondFactors.failures,
        lockedSeconds: sql<number>`greatest(0, ceil(extract(epoch from ${secondFactors.lockedUntil} - now())))::int`,
      })
      .from(secondFactors)
      .where(eq(secondFactors.accountId, accountId))
      .for('update'),
  );

/** False where a second factor is enabled already. */
export const storePendingFactor = (tx: Transaction, accountId: string, secret: string) => {
  const begun = { secret, lastStep: 0, failures: 0, lockedUntil: null, createdAt: sql`now()` };
  return hasRows(
    tx
      .insert(secondFactors)
      .values({ accountId, secret })
      .onConflictDoUpdate({
        target: secondFactors.accountId,
        set: begun,
        setWhere: isNull(secondFactors.enabledAt),
      })
      .returning({ accountId: secondFactors.accountId }),
  );
};

export const recordGoodCode = async (tx: Transaction, accountId: string, lastStep: number) => {
  await tx
    .update(secondFactors)
    .set({ lastStep, failures: 0, lockedUntil: null })
    .where(eq(secondFactors.accountId, accountId));
};

export const recordWrongCode = async (
  tx: Transaction,
  accountId: string,
  { failures, isLast }: { failures: number; isLast: boolean },
) => {
  const lockedUntil = sql`now() + make_interval(secs => ${lockedMs / 1000})`;
  await tx
    .update(secondFactors)
    .set(isLast ? { failures: 0, lockedUntil } : { failures })
    .where(eq(secondFactors.accountId, accountId));
};

/** False where no secret was created, or it is enabled already. */
export const enableFactor = (tx: Transaction, accountId: string) =>
  hasRows(
    tx
      .update(secondFactors)
      .set({ enabledAt: sql`now()` })
      .where(and(eq(secondFactors.accountId, accountId), isNull(secondFactors.enabledAt)))
      .returning({ accountId: secondFactors.accountId }),
  );

export const deleteFactor = async (tx: Transaction, accountId: string) => {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
  await tx.delete(secondFactors).where(eq(secondFactors.accountId, accountId));
};

export const storeRecoveryCodes = async (tx: Transaction, accountId: string, hashes: string[]) => {
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ accountId, hash })));
};

/** Whether it is a recovery code of the account; each works once. */
export const useRecoveryCode = (tx: Transaction, accountId: string, hash: string) =>
  hasRows(
    tx
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.hash, hash)))
      .returning({ hash: recoveryCodes.hash }),
  );

export const hasSecondFactor = (db: Queryable, accountId: string) =>
  hasRows(
    db
      .select({ accountId: secondFactors.accountId })
      .from(secondFactors)
      .where(and(eq(secondFactors.accountId, accountId), isNotNull(secondFactors.enabledAt))),
  );

export const sealedFactors: SealedRows = {
  from: secondFactors,
  keyId: sealKeyIdOf(secondFactors.secret),
};

const storeSecret = async (tx: Transaction, accountId: string, secret: string) => {
  await tx.update(secondFactors).set({ secret }).where(eq(secondFactors.accountId, accountId));
};

export const factorColumn = {
  id: secondFactors.accountId,
  column: secondFactors.secret,
  store: storeSecret,
};

type AuditedOwner = { accountId: string; actor: Actor };

/** Sets whether the account requires a code. */
export const setSecondFactor = async (
  tx: Transaction,
  { accountId, actor }: AuditedOwner,
  mfaEnabled: boolean,
) => {
  await setMfaEnabled(tx, accountId, mfaEnabled);
  await recordAudit(tx, {
    accountId,
    actor,
    action: 'account.update',
    subject: { type: 'account', id: accountId },
    changes: { mfaEnabled },
  });
};

export const removeSecondFactor = async (tx: Transaction, owner: AuditedOwner) => {
  await deleteFactor(tx, owner.accountId);
  await setSecondFactor(tx, owner, false);
};
