import { and, asc, eq, gt, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { SealedRows } from '../../../db/sealed/queries.ts';
import { lockedMs } from './rules.ts';
import { recoveryCodes, secondFactors } from './table.ts';

/** Held until the transaction ends: one code at a time is looked at. */
export const lockSecondFactor = async (tx: Transaction, accountId: string) => {
  const [factor] = await tx
    .select({
      secret: secondFactors.secret,
      isOn: sql<boolean>`${secondFactors.enabledAt} is not null`,
      lastStep: secondFactors.lastStep,
      failures: secondFactors.failures,
      lockedSeconds: sql<number>`greatest(0, ceil(extract(epoch from ${secondFactors.lockedUntil} - now())))::int`,
    })
    .from(secondFactors)
    .where(eq(secondFactors.accountId, accountId))
    .for('update');
  return factor;
};

/** False where one is on already. */
export const storeBegunFactor = async (
  tx: Transaction,
  accountId: string,
  secret: string,
): Promise<boolean> => {
  const begun = { secret, lastStep: 0, failures: 0, lockedUntil: null, createdAt: sql`now()` };
  const stored = await tx
    .insert(secondFactors)
    .values({ accountId, secret })
    .onConflictDoUpdate({
      target: secondFactors.accountId,
      set: begun,
      setWhere: isNull(secondFactors.enabledAt),
    })
    .returning({ accountId: secondFactors.accountId });
  return stored.length > 0;
};

export const noteGoodCode = async (
  tx: Transaction,
  accountId: string,
  lastStep: number,
): Promise<void> => {
  await tx
    .update(secondFactors)
    .set({ lastStep, failures: 0, lockedUntil: null })
    .where(eq(secondFactors.accountId, accountId));
};

export const noteWrongCode = async (
  tx: Transaction,
  accountId: string,
  { failures, isLast }: { failures: number; isLast: boolean },
): Promise<void> => {
  const lockedUntil = sql`now() + make_interval(secs => ${lockedMs / 1000})`;
  await tx
    .update(secondFactors)
    .set(isLast ? { failures: 0, lockedUntil } : { failures })
    .where(eq(secondFactors.accountId, accountId));
};

/** False where none is begun, or one is on already. */
export const enableFactor = async (tx: Transaction, accountId: string): Promise<boolean> => {
  const enabled = await tx
    .update(secondFactors)
    .set({ enabledAt: sql`now()` })
    .where(and(eq(secondFactors.accountId, accountId), isNull(secondFactors.enabledAt)))
    .returning({ accountId: secondFactors.accountId });
  return enabled.length > 0;
};

export const deleteFactor = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
  await tx.delete(secondFactors).where(eq(secondFactors.accountId, accountId));
};

export const storeRecoveryCodes = async (
  tx: Transaction,
  accountId: string,
  hashes: string[],
): Promise<void> => {
  await tx.insert(recoveryCodes).values(hashes.map((hash) => ({ accountId, hash })));
};

/** Whether it was one of them; it is none any more. */
export const useRecoveryCode = async (
  tx: Transaction,
  accountId: string,
  hash: string,
): Promise<boolean> => {
  const used = await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.hash, hash)))
    .returning({ hash: recoveryCodes.hash });
  return used.length > 0;
};

export const hasSecondFactor = async (db: Queryable, accountId: string): Promise<boolean> => {
  const found = await db
    .select({ accountId: secondFactors.accountId })
    .from(secondFactors)
    .where(and(eq(secondFactors.accountId, accountId), isNotNull(secondFactors.enabledAt)));
  return found.length > 0;
};

export const sealedFactors: SealedRows = {
  from: secondFactors,
  keyId: sql`split_part(${secondFactors.secret}, '.', 2)`,
};

/** Sealed under another master key than this one, in the order of ids. */
export const lockFactorsSealedElsewhere = (
  tx: Transaction,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  tx
    .select({ accountId: secondFactors.accountId, secret: secondFactors.secret })
    .from(secondFactors)
    .where(and(ne(sealedFactors.keyId, sealKeyId), gt(secondFactors.accountId, after)))
    .orderBy(asc(secondFactors.accountId))
    .limit(most)
    .for('no key update', { skipLocked: true });

export const storeResealedFactor = async (
  tx: Transaction,
  accountId: string,
  secret: string,
): Promise<void> => {
  await tx.update(secondFactors).set({ secret }).where(eq(secondFactors.accountId, accountId));
};
