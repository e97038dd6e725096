import { findAccount, listAllAccounts, removeFactor, verifyAudit } from './accounts.ts';
import type { Command } from './command.ts';
import { keyStatus, migrate } from './database.ts';
import { createKey, listKeysOfAccount, revokeKey } from './keys.ts';
import { seedMembers } from './members.ts';
import { payPayout, refundOrder } from './money.ts';

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
  migrate,
};
