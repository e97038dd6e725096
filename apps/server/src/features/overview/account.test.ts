import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { defaultPlans, planNames } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { createBot, createServer } from '../../../test/harness/bots-and-servers.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import { accounts } from '../accounts/table.ts';

let service: TestService;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
});
afterAll(() => service.stop());

const accountOf = async (tenant: Tenant) => {
  const reply = await tenant.call('GET', '/api/v1/account');
  expect(reply.status).toBe(200);
  expect(Object.keys(reply.body)).toEqual(['data']);
  return reply.body.data;
};

describe('the account', () => {
  test('shows every field of the specification and no other', async () => {
    const tenant = await service.newTenant({ plan: 'BUSINESS' });
    const beganAt = Date.now();
    const account = await accountOf(tenant);
    expect(account).toEqual({
      id: tenant.accountId,
      platformId: tenant.platformId,
      username: expect.stringMatching(/./),
      displayName: account.username,
      avatar: expect.stringMatching(/^https?:\/\//),
      plan: 'BUSINESS',
      mfaEnabled: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      _count: { servers: 0, customBots: 0, teams: 0 },
      subscription: expect.any(Object),
      limits: expect.any(Object),
    });
    expect(Math.abs(Date.parse(account.createdAt) - beganAt)).toBeLessThan(10_000);
  });

  test('shows a placeholder picture for an account without one', async () => {
    const account = await accountOf(await service.newTenant());
    const { origin, pathname } = new URL(account.avatar);
    expect(origin).toBe('http://localhost:3000');
    const picture = await service.call('GET', pathname);
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toContain('image/');
  });

  test('shows the names, the picture and the second factor of its person', async () => {
    const tenant = await service.newTenant();
    const shown = {
      username: 'ahab',
      displayName: 'Captain Ahab 🐋',
      mfaEnabled: true,
      avatarUrl: 'https://cdn.example.com/ahab.png',
    };
    await service.db.update(accounts).set(shown).where(eq(accounts.id, tenant.accountId));
    expect(await accountOf(tenant)).toMatchObject({
      username: 'ahab',
      displayName: 'Captain Ahab 🐋',
      mfaEnabled: true,
      avatar: 'https://cdn.example.com/ahab.png',
    });
  });

  test('shows the username when there is no display name', async () => {
    const tenant = await service.newTenant();
    const named = { username: 'ishmael', displayName: null };
    await service.db.update(accounts).set(named).where(eq(accounts.id, tenant.accountId));
    expect((await accountOf(tenant)).displayName).toBe('ishmael');
  });

  test('counts its own servers and bots, and no deleted ones', async () => {
    const [tenant, other] = [await service.newTenant(), await service.newTenant()];
    await createServer(other);
    const customBotId = await createBot(tenant);
    const spareBotId = await createBot(tenant);
    const serverIds = [
      await createServer(tenant, { customBotId }),
      await createServer(tenant, { customBotId }),
    ];
    expect((await accountOf(tenant))._count).toEqual({ servers: 2, customBots: 2, teams: 0 });
    await tenant.call('DELETE', `/api/v1/servers/${serverIds[0]}`);
    await tenant.call('DELETE', `/api/v1/bots/${spareBotId}`);
    expect((await accountOf(tenant))._count).toEqual({ servers: 1, customBots: 1, teams: 0 });
  });
});

describe('the limits', () => {
  test.each([...planNames])('are those of the plan %s, without its price', async (plan) => {
    const { priceCents, ...limits } = plansWithoutRateLimit[plan];
    const account = await accountOf(await service.newTenant({ plan }));
    expect(account.plan).toBe(plan);
    expect(account.limits).toEqual(limits);
    expect(Object.keys(account.limits)).not.toContain('priceCents');
  });

  test('are those that the operator set', async () => {
    const plans = { ...defaultPlans, FREE: { ...defaultPlans.FREE, maxServers: 3, maxBots: 0 } };
    const generous = await startTestService({ plans, databaseUrl: service.databaseUrl });
    const { limits } = await accountOf(await generous.newTenant({ plan: 'FREE' }));
    expect(limits).toMatchObject({ maxServers: 3, maxBots: 0, apiRatePerTenSeconds: 20 });
    await generous.stop();
  });

  test('follow a change of plan at once', async () => {
    const tenant = await service.newTenant({ plan: 'FREE' });
    await accountOf(tenant);
    await service.db
      .update(accounts)
      .set({ plan: 'PREMIUM' })
      .where(eq(accounts.id, tenant.accountId));
    // With a key whose plan was cached before the change.
    const account = await accountOf(tenant);
    expect(account).toMatchObject({
      plan: 'PREMIUM',
      limits: { maxServers: 5, hasFirewall: true },
    });
  });
});

describe('the subscription of an account that never paid', () => {
  test.each([
    ['2026-11-15T03:35:46.123Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2027-01-31T12:00:00.000Z', '2027-02-01T00:00:00.000Z'],
    ['2028-01-31T23:59:59.999Z', '2028-02-01T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    // In Auckland it is March already.
    ['2027-02-28T12:30:00.000Z', '2027-03-01T00:00:00.000Z'],
  ])('runs at %s until %s', async (at, currentPeriodEnd) => {
    now = new Date(at);
    const { subscription } = await accountOf(await service.newTenant({ plan: 'FREE' }));
    expect(subscription).toEqual({
      plan: 'FREE',
      status: 'ACTIVE',
      currentPeriodEnd,
      isTrial: false,
      trialEndsAt: null,
      cancelledAt: null,
    });
  });
});

test.each(['PREMIUM', 'BUSINESS', 'ENTERPRISE'] as const)(
  'a plan %s that the operator granted is the one of the subscription, until the month ends',
  async (plan) => {
    now = new Date('2026-11-15T03:35:46.123Z');
    const { subscription } = await accountOf(await service.newTenant({ plan }));
    expect(subscription).toEqual({
      ...{ plan, status: 'ACTIVE', currentPeriodEnd: '2026-12-01T00:00:00.000Z' },
      ...{ isTrial: false, trialEndsAt: null, cancelledAt: null },
    });
  },
);

test('each caller reads its own account', async () => {
  const [one, two] = [await service.newTenant(), await service.newTenant()];
  expect((await accountOf(one)).id).toBe(one.accountId);
  expect((await accountOf(two)).id).toBe(two.accountId);
  expect(one.accountId).not.toBe(two.accountId);
});
