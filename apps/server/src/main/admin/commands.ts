import { findAccount, listAllAccounts, removeFactor, verifyAudit } from './accounts.ts';
import type { Command } from './command.ts';
import { keyStatus, migrate } from './database.ts';
import { doctor } from './doctor/doctor.ts';
import { createKey, listKeysOfAccount, revokeKey } from './keys.ts';
import { seedMembers } from './members.ts';
import { payPayout, refundOrder } from './money.ts';
import { backup, restoreBackup } from './self-backup.ts';

export const commands: Record<string, Command> = {
  'create-key': createKey,
  'revoke-key': revokeKey,
  'list-keys': listKeysOfAccount,
  'list-accounts': listAllAccounts,
  'find-account': findAccount,
  'remove-second-factor': removeFactor,
  'verify-audit': verifyAudit,
  'pay-payout': payPayout,
  'refund-order': refundOrder,
  'seed-members': seedMembers,
  'key-status': keyStatus,
  backup,
  'restore-backup': restoreBackup,
  migrate,
  doctor,
};
