import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createBot, newBotBody } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({ platformApiUrl: simulator.apiUrl });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

const callback = 'http://localhost:3000/verify/callback';

const setApplication = (clientId: string, settings: object) =>
  simulator.control('PUT', `/bots/${clientId}`, settings);

const newOwner = async () => {
  const owner = await service.newTenant();
  const dashboard = await openDashboard(service, owner);
  const clientId = randomPlatformId();
  const botToken = `${btoa(clientId)}.lookup`;
  const lookUp = (body: object) => dashboard.call('POST', '/bots/lookup', body);
  return { owner, dashboard, clientId, botToken, lookUp };
};

describe('a token is enough', () => {
  test('to learn id, name, key, redirects and intents, and nothing is stored', async () => {
    const { owner, clientId, botToken, lookUp } = await newOwner();
    await setApplication(clientId, { name: 'Keeper', intents: ['GUILD_MEMBERS'] });
    const { status, body } = await lookUp({ botToken });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      ...{ clientId, name: 'Keeper', redirectUri: callback, isSecretGood: null },
      publicKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      state: {
        ...{ isRedirectSet: false, guilds: 0 },
        intents: { granted: ['GUILD_MEMBERS'], missing: ['MESSAGE_CONTENT'] },
      },
      portal: { oauth: `${simulator.url}/developers/applications/${clientId}/oauth2` },
    });
    expect(JSON.stringify(body)).not.toContain(botToken);
    expect((await owner.call('GET', '/api/v1/bots')).body.data).toEqual([]);
  });

  test('and the redirect counts as set once the application has it', async () => {
    const { clientId, botToken, lookUp } = await newOwner();
    await setApplication(clientId, { redirectUris: ['https://elsewhere.example/', callback] });
    expect((await lookUp({ botToken })).body.data.state.isRedirectSet).toBe(true);
  });

  test('both ways to invite it ask for exactly what they list, each with a reason', async () => {
    const { botToken, lookUp } = await newOwner();
    const [full, limited] = (await lookUp({ botToken })).body.data.invites;
    const permissionsOf = ({ url }: { url: string }) =>
      BigInt(new URL(url).searchParams.get('permissions') ?? 0);
    expect([full.kind, permissionsOf(full)]).toEqual(['FULL', 8n]);
    const bits = permissionsOf(limited).toString(2).replaceAll('0', '').length;
    expect([limited.kind, limited.permissions.length]).toEqual(['LIMITED', bits]);
    for (const { permission, reason } of limited.permissions) {
      expect([permission, reason.length > 10]).toEqual([expect.stringMatching(/^[A-Z_]+$/), true]);
    }
    expect(limited.loses.length).toBeGreaterThan(0);
  });
});

describe('what the platform refuses is said at its field', () => {
  test('a dead token', async () => {
    const { clientId, botToken, lookUp } = await newOwner();
    await setApplication(clientId, { isDead: true });
    const { status, body } = await lookUp({ botToken });
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, ['botToken']]);
  });

  test('a wrong client secret, and a good one is good', async () => {
    const { clientId, botToken, lookUp } = await newOwner();
    await setApplication(clientId, { clientSecret: 'right' });
    const refused = await lookUp({ botToken, clientSecret: 'wrong' });
    expect([refused.status, Object.keys(refused.body.details.fieldErrors)]).toEqual([
      400,
      ['clientSecret'],
    ]);
    const good = await lookUp({ botToken, clientSecret: 'right' });
    expect(good.body.data.isSecretGood).toBe(true);
  });

  test('a new secret of a bot that is there, before it is stored', async () => {
    const { owner, dashboard, clientId } = await newOwner();
    const id = await createBot(owner, newBotBody({ clientId }));
    await setApplication(clientId, { clientSecret: 'right' });
    const check = (clientSecret: string, botId = id) =>
      dashboard.call('POST', `/bots/${botId}/check-secret`, { clientSecret });
    const refused = await check('wrong');
    expect([refused.status, Object.keys(refused.body.details.fieldErrors)]).toEqual([
      400,
      ['clientSecret'],
    ]);
    expect((await check('right')).body.data).toEqual({ isSecretGood: true });
    expect((await check('right', await createBot(await service.newTenant()))).status).toBe(404);
  });

  test('a platform that does not answer is no refusal', async () => {
    const { botToken, lookUp } = await newOwner();
    const match = { method: 'GET', route: '/applications/@me' };
    await simulator.control('POST', '/faults', { match, times: 1, action: 'status', status: 502 });
    expect((await lookUp({ botToken })).status).toBe(409);
    const token = { method: 'POST', route: '/oauth2/token' };
    await simulator.control('POST', '/faults', { match: token, action: 'status', status: 502 });
    const unsure = await lookUp({ botToken, clientSecret: 'any' });
    await simulator.control('DELETE', '/faults');
    expect([unsure.status, unsure.body.data.isSecretGood]).toEqual([200, null]);
  });

  test('after twenty refusals the platform is not asked again', async () => {
    const { clientId, botToken, lookUp } = await newOwner();
    await setApplication(clientId, { isDead: true });
    for (let count = 0; count < 20; count++) await lookUp({ botToken });
    expect((await lookUp({ botToken })).status).toBe(429);
  });

  test('and those of keys keep no person from adding a bot', async () => {
    const { owner, dashboard, clientId, botToken } = await newOwner();
    await setApplication(clientId, { isDead: true });
    const body = newBotBody({ clientId, botToken });
    const byKey = () => owner.call('POST', '/api/v1/bots', { body });
    for (let count = 0; count < 20; count++) expect((await byKey()).status).toBe(400);
    expect((await byKey()).status).toBe(429);
    await setApplication(clientId, { isDead: false });
    expect((await dashboard.call('POST', '/bots', body)).status).toBe(201);
  });
});

describe('the set-up of a bot', () => {
  test('shows what is missing now, and its public key only counts if it is the right one', async () => {
    const { owner, dashboard } = await newOwner();
    const body = newBotBody({ publicKey: 'short', redirectUri: callback });
    const id = await createBot(owner, body);
    const read = async () => (await dashboard.call('GET', `/bots/${id}/setup`)).body.data;
    expect(await read()).toMatchObject({
      ...{ redirectUri: callback, isPublicKeyGood: false, failure: null },
      state: { isRedirectSet: false, intents: { missing: [] } },
    });
    await setApplication(body.clientId, { redirectUris: [callback], intents: [] });
    expect((await read()).state).toMatchObject({
      isRedirectSet: true,
      intents: { missing: ['GUILD_MEMBERS', 'MESSAGE_CONTENT'] },
    });
    const { publicKey } = (await dashboard.call('POST', '/bots/lookup', body)).body.data;
    await owner.call('PUT', `/api/v1/bots/${id}`, { body: { publicKey } });
    expect((await read()).isPublicKeyGood).toBe(true);
  });

  test('keeps its links while the bot is off, and says why nothing is known', async () => {
    const { owner, dashboard } = await newOwner();
    const id = await createBot(owner);
    await owner.call('PUT', `/api/v1/bots/${id}`, { body: { isActive: false } });
    const { data } = (await dashboard.call('GET', `/bots/${id}/setup`)).body;
    expect([data.state, data.failure]).toEqual([null, 'The bot is switched off']);
    expect(data.invites).toHaveLength(2);
  });

  test('is nobody else’s, and no key can ask for any of it', async () => {
    const { dashboard, owner } = await newOwner();
    const foreign = await createBot(await service.newTenant());
    for (const path of [`/bots/${foreign}/setup`, `/bots/${foreign}/guilds`]) {
      expect((await dashboard.call('GET', path)).status).toBe(404);
      expect((await owner.call('GET', `/api/v1${path}`)).body).toEqual({
        error: 'Route not found',
      });
    }
    expect((await owner.call('POST', '/api/v1/bots/lookup', { body: {} })).status).toBe(404);
    expect((await dashboard.call('GET', '/bots/setup')).body.data).toEqual({
      portalUrl: `${simulator.url}/developers/applications`,
      redirectUri: callback,
    });
  });
});
