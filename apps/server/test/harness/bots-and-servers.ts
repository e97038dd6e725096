import type { PlanName } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import type { Database } from '../../src/db/connect.ts';
import { accounts } from '../../src/features/accounts/table.ts';
import { bots } from '../../src/features/bots/table.ts';
import { randomPlatformId, type Tenant, type TestService } from './service.ts';

/** The shortest bodies that make a bot and a server; the token is one of that application. */
export const newBotBody = (changes: object = {}) => ({
  ...botBodyOf(randomPlatformId()),
  ...changes,
});

const botBodyOf = (clientId: string) => ({
  botToken: `${btoa(clientId)}.token-value`,
  clientId,
  clientSecret: 'client-secret-value',
  publicKey: 'a'.repeat(64),
  redirectUri: 'https://example.com/callback',
  name: 'Gatekeeper',
});

export const createBot = async (tenant: Tenant, changes: object = {}): Promise<string> => {
  const reply = await tenant.call('POST', '/api/v1/bots', { body: newBotBody(changes) });
  if (reply.status !== 201) throw new Error(`No bot: ${reply.text}`);
  return reply.body.data.id;
};

/** A server, with the account's first bot or a new one. */
export const createServer = async (tenant: Tenant, changes: object = {}): Promise<string> => {
  const bots = await tenant.call('GET', '/api/v1/bots');
  const customBotId = bots.body.data[0]?.id ?? (await createBot(tenant));
  const body = { platformGuildId: randomPlatformId(), customBotId, name: 'Harbour', ...changes };
  const reply = await tenant.call('POST', '/api/v1/servers', { body });
  if (reply.status !== 201) throw new Error(`No server: ${reply.text}`);
  return reply.body.data.id;
};

/** An account on `plan` with one server. */
export const ownerOf = async (service: TestService, plan: PlanName = 'ENTERPRISE') => {
  const owner = await service.newTenant({ plan });
  return { owner, id: await createServer(owner) };
};

/** Moves the account to another plan, with a new key: the plan of a known key is cached. */
export const moveToPlan = async (
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

export const botRow = async (db: Database, id: string) => {
  const [row] = await db.select().from(bots).where(eq(bots.id, id));
  if (!row) throw new Error('No such bot');
  return row;
};
