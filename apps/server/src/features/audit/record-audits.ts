import type { Transaction } from '../../db/connect.ts';
import { type AuditedChange, recordAudit } from './queries.ts';

/**
 * Several entries, at the end of their transaction, of one account's chain or of two. Always in the same
 * order of accounts, so that two orders, each of the other's buyer, never wait for each other in a circle.
 */
export const recordAudits = async (
  tx: Transaction,
  entries: readonly AuditedChange[],
): Promise<void> => {
  const inOrder = entries.toSorted((one, other) => compare(one.accountId, other.accountId));
  for (const entry of inOrder) await recordAudit(tx, entry);
};

const compare = (one: string, other: string): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};
