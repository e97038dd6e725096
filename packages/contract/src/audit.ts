import { z } from 'zod';
import { paginationQuery, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';

export const actorTypes = ['USER', 'KEY', 'SYSTEM', 'BILLING'] as const;
export type ActorType = (typeof actorTypes)[number];

/** Why an entry breaks the chain of hashes. */
export const chainFaults = [
  'entry missing',
  'does not follow',
  'altered',
  'not what the chain ends with',
] as const;
export type ChainFaultReason = (typeof chainFaults)[number];

/** Every change that the service records, as `subject.verb`. */
export const auditActions = [
  'account.delete',
  'account.update',
  'alertSettings.update',
  'appeal.accept',
  'appeal.reject',
  'backup.complete',
  'backup.create',
  'backup.delete',
  'backup.download',
  'backup.expire',
  'backup.fail',
  'backup.redact',
  'billing.mail_skipped',
  'blacklist.create',
  'blacklist.delete',
  'bot.connection_refused',
  'bot.create',
  'bot.deactivate',
  'bot.delete',
  'bot.secret_refused',
  'bot.update',
  'firewallRule.create',
  'firewallRule.delete',
  'invoice.create',
  'invoice.pay',
  'invoice.remove',
  'key.create',
  'key.revoke',
  'ledger.refund',
  'listing.create',
  'listing.update',
  'member.deauthorize',
  'member.erase',
  'member.withdraw',
  'members.seed',
  'order.cancel',
  'order.complete',
  'order.create',
  'order.credit',
  'order.deliver',
  'order.dispute',
  'order.dispute_lost',
  'order.dispute_won',
  'order.expire',
  'order.fail',
  'order.late_payment',
  'order.pay',
  'order.refund',
  'order.return_payment',
  'payout.create',
  'payout.pay',
  'plan.change',
  'plan.set',
  'pull.cancel',
  'pull.create',
  'pull.end',
  'pull.recall',
  'pull.resume',
  'pull.update',
  'restore.cancel',
  'restore.create',
  'restore.end',
  'restore.show_webhooks',
  'server.create',
  'server.delete',
  'server.update',
  'subscription.attach',
  'subscription.cancel',
  'subscription.dispute',
  'subscription.dispute_lost',
  'subscription.dispute_open',
  'subscription.dispute_won',
  'subscription.lapse',
  'subscription.payment_failed',
  'subscription.renew',
  'subscription.update',
  'whitelistRule.create',
  'whitelistRule.delete',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const auditEntry = z
  .object({
    id: uuid,
    at: timestamp,
    actor: z.object({ type: z.enum(actorTypes), id: z.string().nullable() }).meta({
      description: 'Who did it. The id is that of a user or a key; the others have none.',
      example: { type: 'KEY', id: '0191d3a0-5b7e-7c3a-9b1e-4a19365b10ec' },
    }),
    action: z.string().meta({ description: 'What was done.', example: 'server.update' }),
    subject: z.object({ type: z.string(), id: z.string().nullable() }).meta({
      description: 'What it was done to.',
      example: { type: 'server', id: '0191d3a0-5b7e-7c3a-9b1e-d77db181ded2' },
    }),
    changes: z.record(z.string(), z.unknown()).meta({
      description: 'The fields that were set. Secrets are never among them.',
      example: { minAccountAgeDays: 7 },
    }),
    prevHash: z.string().meta({
      description: 'The hash of the entry before this one.',
      example: '9f2d6c1b0a7e48d35c6f1e20b4a98d7c3e5f60718293a4b5c6d7e8f901a2b3c4',
    }),
    hash: z.string().meta({
      description: 'SHA-256 over this entry and `prevHash`.',
      example: '4b1e0c9d8a7f6e5d4c3b2a190817263544f5e6d7c8b9a0f1e2d3c4b5a6978869',
    }),
  })
  .meta({ id: 'AuditEntry' });

export const auditEndpoints = endpointsOf('Audit', {
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'List audit entries',
    description:
      'Every change of the account, newest first. Each entry carries the hash of the one before it.',
    scope: 'audit:read',
    query: paginationQuery,
    data: auditEntry,
    paginated: true,
  },
});
