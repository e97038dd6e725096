import type { PlanName } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { accounts } from '../src/features/accounts/table.ts';
import { createServer, type Tenant, type TestService } from './harness.ts';

/** An account on `plan` with one server. */
export const ownerOf = async (service: TestService, plan: PlanName = 'ENTERPRISE') => {
  const owner = await service.newTenant({ plan });
  return { owner, id: await createServer(owner) };
};

/** The account on another plan, with a key that feels it at once. */
export const movedToPlan = async (
  service: TestService,
  tenant: Tenant,
  plan: PlanName,
): Promise<Tenant> => {
  await service.db.update(accounts).set({ plan }).where(eq(accounts.id, tenant.accountId));
  return service.newKey(tenant, ['*']);
};

/** The account's members and rules on a server, by SQL where no endpoint makes them. */
export const fillServer = async (
  service: TestService,
  owner: Tenant,
  id: string,
  members: number,
) => {
  await service.db.$client`
    insert into members (id, account_id, server_id, platform_id, username, search_text, token_status,
      consented_at, verified_at)
    select gen_random_uuid(), ${owner.accountId}, ${id}, i::text, 'm', 'm', 'VALID',
      case when i % 3 = 0 then now() end, now() - i * interval '1 hour'
    from generate_series(1, ${members}::int) as i`;
  for (const list of ['firewall', 'whitelist', 'whitelist']) {
    const value = String(Math.floor(Math.random() * 1e9));
    await owner.call('POST', `/api/v1/servers/${id}/${list}`, { body: { type: 'ASN', value } });
  }
};
