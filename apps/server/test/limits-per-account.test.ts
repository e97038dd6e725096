import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBot, createServer, newBotBody } from './harness/bots-and-servers.ts';
import {
  type OwnTenant,
  plansWithoutRateLimit,
  randomPlatformId,
  startTestService,
  type TestService,
} from './harness/service.ts';

const one = { maxBots: 1, maxServers: 1, maxBackups: 1 };
const plans = { ...plansWithoutRateLimit, PREMIUM: { ...plansWithoutRateLimit.PREMIUM, ...one } };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ plans });
}, 120_000);
afterAll(() => service.stop());

type Account = { tenant: OwnTenant; botId: string; serverId: string };

const newAccount = async (): Promise<Account> => {
  const tenant = await service.newTenant({ plan: 'PREMIUM' });
  const botId = await createBot(tenant);
  const serverId = await createServer(tenant, { customBotId: botId });
  const { status } = await addBackup({ tenant, serverId });
  expect(status).toBe(202);
  return { tenant, botId, serverId };
};

const addBackup = ({ tenant, serverId }: Pick<Account, 'tenant' | 'serverId'>) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/backups`, { body: {} });

const additions: [string, (account: Account) => Promise<{ status: number }>][] = [
  ['bot', ({ tenant }) => tenant.call('POST', '/api/v1/bots', { body: newBotBody() })],
  [
    'server',
    ({ tenant, botId }) =>
      tenant.call('POST', '/api/v1/servers', {
        body: { platformGuildId: randomPlatformId(), customBotId: botId, name: 'Harbour' },
      }),
  ],
  ['backup', addBackup],
];

test.each(additions)(
  'an account that has all the %ss of its plan keeps nobody else from theirs',
  async (_, add) => {
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
