import type { Reply, Tenant, TestService } from './harness.ts';

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Asks for a key that may read the account, unless `body` says otherwise. */
export const mint = (tenant: Tenant, body: object) =>
  tenant.call('POST', '/api/v1/keys', { body: { name: 'ci', scopes: ['account:read'], ...body } });

/** Asks for the account with that header, or with none. */
export const callWith = (service: TestService, authorization: string | undefined): Promise<Reply> =>
  service.call('GET', '/api/v1/account', { headers: authorization ? { authorization } : {} });

export const callWithKey = (service: TestService, key: string): Promise<Reply> =>
  callWith(service, `Bearer ${key}`);
