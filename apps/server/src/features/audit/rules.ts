import type { AuditAction, ChainFaultReason, ChangeTopic } from '@holdfast/contract';
import type { Actor } from '../../http/handler.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';

/**
 * The audit log is one chain per account. Each entry's hash covers the entry and the hash of the one
 * before it; the first continues from `chainStart`. To alter, drop, add or reorder an entry breaks
 * every hash after it.
 */
export const chainStart = '0'.repeat(64);

/** The actor of a change that a job or the operator makes, not a person or a key. */
export const systemActor = { type: 'SYSTEM', id: null } as const satisfies Actor;

type SubjectOf<Action> = Action extends `${infer Subject}.${string}` ? Subject : never;
type AuditedSubject = SubjectOf<AuditAction>;

/** What open pages of the account read again after an audited change, besides the audit log itself. */
const topicsOfSubject: Record<AuditedSubject, ChangeTopic[]> = {
  account: ['account'],
  alertSettings: ['alerts'],
  appeal: ['appeals'],
  backup: ['backups'],
  billing: ['billing'],
  blacklist: ['blacklist', 'members'],
  bot: ['bots'],
  deviceLogin: ['keys'],
  drill: ['protection'],
  firewallRule: ['firewall'],
  incident: ['incidents'],
  invoice: ['billing'],
  key: ['keys'],
  ledger: ['billing'],
  listing: ['listings'],
  massVerification: ['massVerifications'],
  member: ['members'],
  members: ['members'],
  order: ['orders', 'billing', 'listings'],
  panel: ['panels'],
  payout: ['billing'],
  plan: ['account', 'billing'],
  protection: ['protection', 'servers'],
  pull: ['pulls'],
  restore: ['restores'],
  server: ['servers'],
  session: ['account'],
  subscription: ['account', 'billing'],
  upload: ['account'],
  verifyPage: ['servers'],
  whitelistRule: ['whitelist'],
};

export const topicsOf = (action: AuditAction): ChangeTopic[] => {
  // Every action begins with its subject and a dot: that is how the type of the record is derived.
  const subject = action.slice(0, action.indexOf('.')) as AuditedSubject;
  return topicsOfSubject[subject];
};

type HashedFields = {
  accountId: string;
  seq: number;
  id: string;
  at: Date;
  actorType: string;
  actorId: string | null;
  action: string;
  subjectType: string;
  subjectId: string | null;
  changes: Record<string, unknown>;
  prevHash: string;
};

export const entryHash = (entry: HashedFields): string => {
  const { accountId, seq, id, at, actorType, actorId, action, subjectType, subjectId } = entry;
  const { changes, prevHash } = entry;
  const what = [seq, id, at.toISOString(), actorType, actorId, action, subjectType, subjectId];
  return sha256Hex(canonicalJson([prevHash, accountId, ...what, changes]));
};

export type ChainFault = { seq: number; reason: ChainFaultReason };

/** Whether the entry is still what was hashed. */
export const matchesHash = (entry: HashedFields & { hash: string }): boolean =>
  entry.hash === entryHash(entry);

/** As the deletion of its account leaves an entry: without contents, with its hashes. */
const isErased = ({ changes, subjectId }: HashedFields): boolean =>
  subjectId === null && Object.keys(changes).length === 0;

/**
 * Checks that `entry` follows `previous`; undefined when it does. The entries of a deleted account
 * (`mayBeErased`) may have lost their contents; those that still have them must match their hash.
 */
export const findFault = (
  previous: { seq: number; hash: string },
  entry: HashedFields & { hash: string },
  { mayBeErased = false }: { mayBeErased?: boolean } = {},
): ChainFault | undefined => {
  if (entry.seq !== previous.seq + 1) return { seq: previous.seq + 1, reason: 'entry missing' };
  if (entry.prevHash !== previous.hash) return { seq: entry.seq, reason: 'does not follow' };
  if (matchesHash(entry) || (mayBeErased && isErased(entry))) return undefined;
  return { seq: entry.seq, reason: 'altered' };
};

/** The fields of `changes` that differ from `before`, each with its old and new value. */
export const changedFields = <Row extends Record<string, unknown>>(
  before: Row,
  changes: Partial<Row>,
): Record<string, { from: unknown; to: unknown }> => {
  const pairs = Object.entries(changes)
    .filter(([, to]) => to !== undefined)
    .map(([field, to]) => [field, { from: before[field], to }] as const);
  return Object.fromEntries(
    pairs.filter(([, { from, to }]) => canonicalJson(from) !== canonicalJson(to)),
  );
};
