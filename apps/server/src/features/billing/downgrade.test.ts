import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  accountOf,
  cardSubscription,
  nowSeconds,
  sendCard,
} from '../../../test/harness/billing/events.ts';
import { createBot, createServer, newBotBody } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  plansWithoutRateLimit,
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  const plans = {
    ...plansWithoutRateLimit,
    FREE: { ...plansWithoutRateLimit.FREE, maxBackups: 1 },
  };
  service = await startTestService({ plans });
});
afterAll(() => service.stop());

test('a downgrade deletes nothing, refuses more, and switches off what the plan lacks', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const subscription = cardSubscription(tenant.accountId);
  const t = nowSeconds();
  await sendCard(service, subscription.checkout('BUSINESS', t));
  await eventually(3000, async () => expect((await accountOf(tenant)).limits.maxBots).toBe(10));

  const bots = [await createBot(tenant), await createBot(tenant)];
  const servers = [await createServer(tenant), await createServer(tenant)];
  const [server = ''] = servers;
  const rules = `/api/v1/servers/${server}/firewall`;
  const rule = { type: 'COUNTRY', value: 'FR' };
  expect((await tenant.call('POST', rules, { body: rule })).status).toBe(201);
  const on = { firewallEnabled: true, altDetectEnabled: true };
  await tenant.call('PUT', `/api/v1/servers/${server}`, { body: on });
  for (const id of servers) await tenant.call('POST', `/api/v1/servers/${id}/backups`);

  await sendCard(service, subscription.deletion(t + 1));
  expect((await accountOf(tenant)).limits.maxBots).toBe(1);
  // The plan of a key is cached for a second.
  await eventually(3000, async () => {
    expect((await tenant.call('POST', rules, { body: rule })).status).toBe(403);
  });

  const listed = async (path: string) => (await tenant.call('GET', path)).body.data.length;
  expect(await listed('/api/v1/bots')).toBe(2);
  expect(await listed('/api/v1/servers')).toBe(2);
  expect(await listed(rules)).toBe(1);
  expect(await listed(`/api/v1/servers/${server}/backups`)).toBe(1);

  const off = { body: { firewallEnabled: false, altDetectEnabled: false } };
  await tenant.call('PUT', `/api/v1/servers/${server}`, off);
  const guild = { platformGuildId: randomPlatformId(), customBotId: bots[0], name: 'More' };
  const refused = [
    await tenant.call('POST', '/api/v1/bots', { body: newBotBody() }),
    await tenant.call('POST', '/api/v1/servers', { body: guild }),
    await tenant.call('POST', `/api/v1/servers/${server}/backups`),
    await tenant.call('POST', rules, { body: { ...rule, value: 'DE' } }),
    await tenant.call('PUT', `/api/v1/servers/${server}`, { body: on }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  // Existing things can still be used, changed and deleted.
  const renamed = await tenant.call('PUT', `/api/v1/servers/${server}`, { body: { name: 'Less' } });
  expect(renamed.status).toBe(200);
  const { id } = (await tenant.call('GET', rules)).body.data[0];
  expect((await tenant.call('DELETE', `${rules}?ruleId=${id}`)).status).toBe(200);
});
