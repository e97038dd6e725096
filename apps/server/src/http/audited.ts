import type { Transaction } from '../db/connect.ts';

/** Transactions whose change is in the audit log, or that changed nothing. The pipeline commits no others. */
const accounted = new WeakSet<Transaction>();

export const markAudited = (tx: Transaction): void => void accounted.add(tx);

/** For a change that finds everything as it should be. */
export const markUnchanged = (tx: Transaction): void => void accounted.add(tx);

export const isAccountedFor = (tx: Transaction): boolean => accounted.has(tx);
