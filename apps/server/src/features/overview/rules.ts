import type { Overview, Subscription } from '@holdfast/contract';
import type { findAccount } from './queries/account.ts';
import type { listLastBackups, listServersWithBots } from './queries/servers.ts';

type AccountRow = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

/** Undefined for an account that never paid. */
export const subscriptionOf = (account: AccountRow): Subscription | undefined => {
  const { givenPlan: plan, status, currentPeriodEnd, isTrial, trialEndsAt, cancelledAt } = account;
  // The columns come from an outer join: all are null, or none.
  if (plan === null || status === null || currentPeriodEnd === null) return undefined;
  return { plan, status, currentPeriodEnd, isTrial: isTrial === true, trialEndsAt, cancelledAt };
};

/** The subscription of an account that never paid: FREE, renewed with each UTC month. */
export const unpaidSubscription = (now: Date): Subscription => ({
  plan: 'FREE',
  status: 'ACTIVE',
  currentPeriodEnd: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
  isTrial: false,
  trialEndsAt: null,
  cancelledAt: null,
});

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
