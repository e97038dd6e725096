import { expect } from 'bun:test';
import { randomPlatformId, type Tenant } from './harness.ts';

export type Entry = { id: string; at: string; action: string; prevHash: string; hash: string };

/** A page of the account’s entries, newest first: all of them unless there are many. */
export const auditOf = async (tenant: Tenant, query = 'limit=100') => {
  const reply = await tenant.call('GET', `/api/v1/audit?${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
};

/** A change that is as good as any other. */
export const blacklistSomeone = (tenant: Tenant, serverId: string) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/blacklist`, {
    body: { platformId: randomPlatformId() },
  });
