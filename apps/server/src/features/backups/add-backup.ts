import type { BackupComponent, backupKinds, Plan } from '@holdfast/contract';
import type { Transaction } from '../../db/connect.ts';
import { planRefuses } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockUser } from '../accounts/queries.ts';
import { usedStorageBytes } from './objects/queries.ts';
import { countChargedBackups, insertBackup } from './queries.ts';
import { messagesToKeep } from './rules.ts';

type NewBackup = {
  account: { accountId: string; plan: string; limits: Plan };
  server: { id: string };
  kind: (typeof backupKinds)[number];
  name: string;
  components: BackupComponent[];
  messagesPerChannel?: number;
};

/** Adds one to those the plan allows, or refuses. */
export const addBackup = async (tx: Transaction, wish: NewBackup) => {
  const { accountId, plan, limits } = wish.account;
  await lockUser(tx, accountId);
  if ((await countChargedBackups(tx, accountId)) >= limits.maxBackups) {
    throw planRefuses(`The ${plan} plan's limit for backups (${limits.maxBackups}) is reached`);
  }
  if ((await usedStorageBytes(tx, accountId)) >= limits.maxStorageBytes) {
    throw planRefuses(`The ${plan} plan's storage (${limits.maxStorageBytes} bytes) is used up`);
  }
  const { kind, name, components } = wish;
  return insertBackup(tx, {
    id: newId(),
    accountId,
    serverId: wish.server.id,
    ...{ kind, name, components },
    messagesPerChannel: messagesToKeep(components, wish.messagesPerChannel),
  });
};
