import { afterAll, beforeAll, expect, test } from 'bun:test';
import { accountLimits } from '@holdfast/contract';
import { createBot, createServer, newBotBody } from './harness/bots-and-servers.ts';
import { whileItWaits } from './harness/database-faults/while-it-waits.ts';
import {
  type OwnTenant,
  plansWithoutRateLimit,
  randomPlatformId,
  startTestService,
  type TestService,
} from './harness/service.ts';

const { PREMIUM, BUSINESS, ...otherPlans } = plansWithoutRateLimit;
const plans = {
  ...otherPlans,
  PREMIUM: { ...PREMIUM, maxBots: 1, maxServers: 1, maxBackups: 1 },
  BUSINESS: { ...BUSINESS, maxBots: 2, maxServers: 2, maxBackups: 2 },
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ plans });
});
afterAll(() => service.stop());

type Account = { tenant: OwnTenant; botId: string; serverId: string };

/** With one bot, one server and one backup. */
const newAccount = async (plan: 'PREMIUM' | 'BUSINESS' = 'PREMIUM'): Promise<Account> => {
  const tenant = await service.newTenant({ plan });
  const botId = await createBot(tenant);
  const serverId = await createServer(tenant, { customBotId: botId });
  const { status } = await addBackup({ tenant, serverId });
  expect(status).toBe(202);
  return { tenant, botId, serverId };
};

const addBackup = ({ tenant, serverId }: Pick<Account, 'tenant' | 'serverId'>) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/backups`, { body: {} });

type Addition = [what: string, table: string, add: (a: Account) => Promise<{ status: number }>];

const additions: Addition[] = [
  ['bot', 'bots', ({ tenant }) => tenant.call('POST', '/api/v1/bots', { body: newBotBody() })],
  [
    'server',
    'servers',
    ({ tenant, botId }) =>
      tenant.call('POST', '/api/v1/servers', {
        body: { platformGuildId: randomPlatformId(), customBotId: botId, name: 'Harbour' },
      }),
  ],
  ['backup', 'backups', addBackup],
];

test.each(additions)(
  'an account that has all the %ss of its plan keeps nobody else from theirs',
  async (_, __, add) => {
    const full = await newAccount();
    expect((await add(full)).status).toBe(403);
    // Adds one of each, while the first account is full.
    await newAccount();
  },
);

test('storage that one account has used up is not missing to another', async () => {
  const full = await newAccount();
  const { accountId } = full.tenant;
  const bytes = plans.PREMIUM.maxStorageBytes;
  await service.db.$client`delete from backups where account_id = ${accountId}`;
  await service.db
    .$client`insert into storage_used (account_id, bytes) values (${accountId}, ${bytes})
    on conflict (account_id) do update set bytes = excluded.bytes`;
  expect((await addBackup(full)).status).toBe(403);
  await newAccount();
});

let lastAsn = accountLimits.rulesPerList;
const addRule =
  (list: string): Addition[2] =>
  ({ tenant, serverId }) => {
    const body = { type: 'ASN', value: String(++lastAsn) };
    return tenant.call('POST', `/api/v1/servers/${serverId}/${list}`, { body });
  };

const ownAdditions: Addition[] = [
  ['firewall rule', 'firewall_rules', addRule('firewall')],
  ['whitelist rule', 'whitelist_rules', addRule('whitelist')],
  [
    'key',
    'api_keys',
    ({ tenant }) => tenant.call('POST', '/api/v1/keys', { body: { name: 'k', scopes: ['*'] } }),
  ],
];

/** One place is left of each. */
const fillLists = async ({ tenant: { accountId }, serverId }: Account): Promise<void> => {
  const { $client: sql } = service.db;
  for (const table of ['firewall_rules', 'whitelist_rules']) {
    await sql`insert into ${sql(table)} (id, account_id, server_id, type, value)
      select gen_random_uuid(), ${accountId}, ${serverId}, 'ASN', n
      from generate_series(2, ${accountLimits.rulesPerList}::int) as n`;
  }
  await sql`insert into api_keys (id, account_id, name, scopes, hash, last_four)
    select gen_random_uuid(), ${accountId}, 'k', '{}', gen_random_uuid()::text, 'last'
    from generate_series(3, ${accountLimits.liveKeys}::int)`;
};

test.each([...additions, ...ownAdditions])(
  'of two %ss that are added at once to the last place one is refused',
  async (_, table, add) => {
    const account = await newAccount('BUSINESS');
    await fillLists(account);
    const replies = await whileItWaits(service.db, {
      // Whoever has counted waits with its row.
      lock: (sql) => sql`lock table ${sql(table)} in share mode`,
      work: () => Promise.all([add(account), add(account)]),
      waiting: 2,
    });
    const outcomes = replies.map(({ status }) => (status < 300 ? 'added' : status));
    expect(outcomes.toSorted()).toEqual([403, 'added']);
  },
);
