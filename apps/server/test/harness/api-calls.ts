import { expect } from 'bun:test';
import { type Reply, randomPlatformId, type Tenant, type TestService } from './service.ts';

export type Entry = {
  id: string;
  at: string;
  action: string;
  subject: { type: string; id: string | null };
  changes: Record<string, unknown>;
  prevHash: string;
  hash: string;
};

/** A page of the account’s entries, newest first: all of them unless there are many. */
export const auditOf = async (tenant: Tenant, query = 'limit=100') => {
  const reply = await tenant.call('GET', `/api/v1/audit?${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
};

/** Any change that writes an audit entry. */
export const blacklistSomeone = (tenant: Tenant, serverId: string) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/blacklist`, {
    body: { platformId: randomPlatformId() },
  });

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Asks for a key that may read the account, unless `body` says otherwise. */
export const requestKey = (tenant: Tenant, body: object) =>
  tenant.call('POST', '/api/v1/keys', { body: { name: 'ci', scopes: ['account:read'], ...body } });

/** Asks for the account with that header, or with none. */
export const callWith = (service: TestService, authorization: string | undefined): Promise<Reply> =>
  service.call('GET', '/api/v1/account', { headers: authorization ? { authorization } : {} });

export const callWithKey = (service: TestService, key: string): Promise<Reply> =>
  callWith(service, `Bearer ${key}`);
