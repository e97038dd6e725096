import type { BackupComponent } from '@holdfast/contract';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { isAccessRefused } from './failure-message.ts';

/** Failures after which nothing else of the guild could be read either. */
const kindsThatEnd: FailureKind[] = ['aborted', 'botTokenDead', 'breakerOpen', 'unknownGuild'];

/** Whether a failure concerns one section alone: the backup goes on without it. */
export const isSectionFailure = (error: unknown): error is PlatformFailure =>
  error instanceof PlatformFailure && !kindsThatEnd.includes(error.kind);

/** The permission without which the platform refuses a section. */
const permissionFor: Partial<Record<BackupComponent, string>> = {
  settings: 'Manage Server',
  bans: 'Ban Members',
  automod: 'Manage Server',
  welcomeScreen: 'Manage Server',
  webhooks: 'Manage Webhooks',
};

/** For the owner: why a section is not in the backup. */
export const whyUnreadable = (failure: PlatformFailure, component: BackupComponent): string => {
  if (failure.kind === 'banReadsUsedUp') return 'they were read too often lately';
  if (!isAccessRefused(failure)) return 'the platform did not give them';
  const needed = permissionFor[component];
  return `the bot may not read them${needed ? ` without the permission ${needed}` : ''}`;
};
