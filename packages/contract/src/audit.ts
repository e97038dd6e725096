import { z } from 'zod';
import { paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

export const actorTypes = ['USER', 'KEY', 'SYSTEM', 'BILLING'] as const;

export const auditEntry = z
  .object({
    id: uuid,
    at: timestamp,
    actor: z.object({ type: z.enum(actorTypes), id: z.string().nullable() }),
    action: z.string(),
    subject: z.object({ type: z.string(), id: z.string().nullable() }),
    changes: z.record(z.string(), z.unknown()),
    prevHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export const auditEndpoints = {
  listAudit: endpoint({
    method: 'GET',
    path: '/audit',
    tag: 'Audit',
    summary: 'List audit entries',
    description:
      'Every change of the account, newest first. Each entry carries the hash of the one before it.',
    scope: 'audit:read',
    query: paginationQuery,
    status: 200,
    data: auditEntry,
    paginated: true,
  }),
};
