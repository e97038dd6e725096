import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CHANGING_STEPS, type Ids } from '../../../test/changing-routes.ts';
import { openSocket } from '../../../test/gateway-client.ts';
import {
  botToken,
  freshId,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';
import { createPlatformApp } from '../app.ts';
import { createGateway } from '../gateway/gateway.ts';
import { createWorld } from '../guild/world.ts';
import { createIdentities } from '../identity/identities.ts';
import { createAuditLogs } from './audit-log.ts';

/** Routes that change something of which no session is told, and why. */
const SILENT: Record<string, string> = {
  'POST /oauth2/token': 'a person and an application agree on something; no guild is concerned',
  'POST /oauth2/token/revoke': 'the same',
  'POST /oauth2/authorize': 'the same',
  'PUT /invites/:code/target-users': 'the platform tells nobody for whom an invite is',
};

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

const changingRoutes = (): string[] => {
  const world = createWorld({ makeGuild: () => undefined, images: new Map() });
  const identities = createIdentities({ isOpen: true, now: Date.now });
  const gateway = createGateway(world, identities);
  const app = createPlatformApp({ world, identities, gateway, auditLogs: createAuditLogs() });
  const routes = app.routes
    .filter(({ method, path }) => !['GET', 'ALL'].includes(method) && path.startsWith('/api/v10/'))
    .map(({ method, path }) => `${method} ${path.replace('/api/v10', '')}`);
  return [...new Set(routes)];
};

test('every route that changes something is tried here, or is silent with a reason', () => {
  const heard = new Set(CHANGING_STEPS.filter(({ told }) => told !== '').map(({ route }) => route));
  const routes = changingRoutes();
  expect(routes.length).toBeGreaterThan(60);
  expect(routes.filter((route) => !heard.has(route) && !(route in SILENT))).toEqual([]);
  expect(Object.keys(SILENT).filter((route) => !routes.includes(route))).toEqual([]);
});

/** A server with a bot that may do everything, and another bot below it. */
const setUp = async (): Promise<Ids> => {
  const [guild, user, other, bot] = [freshId(), freshId(), freshId(), freshId()];
  const [hall, foreign, own] = [freshId(), freshId(), freshId()];
  await simulator.control('PUT', `/guilds/${guild}`, {
    guild: { features: ['COMMUNITY'] },
    roles: [
      { id: guild, name: '@everyone', permissions: '1024' },
      { name: 'Low' },
      { id: foreign, name: 'Foreign', managed: true, tags: { bot_id: foreign } },
      { id: own, name: 'Own', permissions: '8' },
    ],
    channels: [{ id: hall, name: 'hall' }],
    members: [
      { user: { id: other } },
      { user: { id: bot }, roles: [own] },
      { user: { id: foreign, bot: true, username: 'Foreign' }, roles: [foreign] },
    ],
  });
  const consent = { clientId: bot, userId: user, scopes: ['guilds.join'] };
  const { access_token: accessToken } = await simulator.control('POST', '/tokens', consent);
  return { guild, user, other, bot, hall, accessToken, integration: foreign, emoji: '⚓' };
};

const call = (ids: Ids, { route, body, at }: (typeof CHANGING_STEPS)[number]) => {
  const [method, path = ''] = route.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, name) => ids[at?.[name] ?? name] ?? '');
  const made = body?.(ids);
  const isForm = made instanceof FormData;
  return fetch(`${simulator.api}/v10${filled}?wait=true`, {
    method,
    headers: {
      // The token in the path is who acts.
      ...(!path.includes(':token') && { Authorization: `Bot ${botToken(ids.bot)}` }),
      ...(!isForm && { 'Content-Type': 'application/json' }),
      'X-Audit-Log-Reason': 'For%20order',
    },
    body: isForm ? made : made && JSON.stringify(made),
  });
};

test('every change comes out as the events of the platform, with who made it in the audit log', async () => {
  await simulator.control('PUT', '/gateway', { sendLimit: 1000 });
  const ids = await setUp();
  const client = await openSocket(simulator.url);
  client.identify(ids.bot ?? '');
  await client.event('GUILD_CREATE');
  for (const step of CHANGING_STEPS) {
    const from = (await client.settle()).length;
    const response = await call(ids, step);
    const text = await response.text();
    expect([step.route, response.ok ? 'done' : text]).toEqual([step.route, 'done']);
    if (step.keep) Object.assign(ids, step.keep(JSON.parse(text)));
    const frames = (await client.settle()).slice(from);
    const told = [...new Set(frames.flatMap(({ t }) => t ?? []))];
    expect([step.route, ...told.sort()]).toEqual([
      step.route,
      ...step.told.split(' ').filter(Boolean).sort(),
    ]);
    const entry = frames.find(({ t }) => t === 'GUILD_AUDIT_LOG_ENTRY_CREATE');
    const user_id = step.route.includes(':token') ? null : ids.bot;
    if (entry) expect(entry.d).toMatchObject({ user_id, reason: 'For order', guild_id: ids.guild });
  }
});
