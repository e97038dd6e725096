import type { Overview } from '@holdfast/contract';
import type { listLastBackups, listServersWithBots } from './queries/servers.ts';

type BotColumns = Pick<
  Awaited<ReturnType<typeof listServersWithBots>>[number],
  'botId' | 'botName' | 'isActive' | 'refusedAt' | 'secretRefusedAt'
>;

export const botOf = ({ botId, botName, isActive, refusedAt, secretRefusedAt }: BotColumns) => ({
  id: botId,
  name: botName,
  isActive,
  isRefused: !isActive && refusedAt !== null,
  isSecretRefused: secretRefusedAt !== null,
});

type LastBackup = Awaited<ReturnType<typeof listLastBackups>>[number] | undefined;

/** A completed backup has a time, though the column can be null. */
export const lastBackupOf = (backup: LastBackup): Overview['servers'][number]['lastBackup'] =>
  backup?.completedAt ? { ...backup, completedAt: backup.completedAt } : null;
