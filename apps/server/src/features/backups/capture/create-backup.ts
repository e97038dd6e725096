import type { BackupComponent, backupKinds, Plan } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { forbidden } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { lockAccount } from '../../accounts/queries.ts';
import type { GuildStructure } from '../last-good/structure.ts';
import { readUsedStorageBytes } from '../objects/queries.ts';
import { countChargedBackups, insertBackup } from '../queries.ts';
import { messagesToKeep } from '../rules.ts';

type NewBackup = {
  account: { accountId: string; plan: string; limits: Plan };
  server: { id: string };
  kind: (typeof backupKinds)[number];
  name: string;
  components: BackupComponent[];
  messagesPerChannel?: number;
  isTemporary?: boolean;
  /** Where the owner accepts the present state: when, and what is known of it. */
  accepted?: { acceptedAt: Date; structure: GuildStructure | null };
};

/** Inserts a queued backup, or refuses where the plan allows no more. */
export const createBackupWithinPlan = async (tx: Transaction, backup: NewBackup) => {
  const { accountId, plan, limits } = backup.account;
  await lockAccount(tx, accountId);
  if ((await countChargedBackups(tx, accountId)) >= limits.maxBackups) {
    throw forbidden(`The ${plan} plan's limit for backups (${limits.maxBackups}) is reached`);
  }
  if ((await readUsedStorageBytes(tx, accountId)) >= limits.maxStorageBytes) {
    throw forbidden(`The ${plan} plan's storage (${limits.maxStorageBytes} bytes) is used up`);
  }
  const { kind, name, components, isTemporary } = backup;
  return insertBackup(tx, {
    id: newId(),
    accountId,
    serverId: backup.server.id,
    ...{ kind, name, components, isTemporary, ...backup.accepted },
    messagesPerChannel: messagesToKeep(components, backup.messagesPerChannel),
  });
};
