import { randomBytes } from 'node:crypto';
import type { KeyScope } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import { newId } from '../../kernel/ids.ts';
import { sha256Hex } from '../../kernel/sha256.ts';
import { type AuditedChange, recordAudit } from '../audit/queries.ts';
import { insertKey } from './queries.ts';
import { mintKey } from './rules.ts';

type Wish = { name: string; scopes: KeyScope[]; expiresAt: Date | null };

/** Makes a key for an account and tells the audit log; the key is in the answer and nowhere else. */
export const mintKeyFor = async (
  tx: Transaction,
  accountId: string,
  actor: AuditedChange['actor'],
  { name, scopes, expiresAt }: Wish,
) => {
  const key = mintKey(randomBytes);
  const row = await insertKey(tx, {
    id: newId(),
    accountId,
    name,
    scopes,
    hash: sha256Hex(key),
    lastFour: key.slice(-4),
    expiresAt,
  });
  await recordAudit(tx, {
    accountId,
    actor,
    action: 'key.create',
    subject: { type: 'key', id: row.id },
    changes: { name, scopes, expiresAt },
  });
  return { ...row, key };
};
