import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CHANGING_STEPS } from '../../../test/changing-routes.ts';
import { openSocket } from '../../../test/gateway-client.ts';
import { startTestSimulator, type TestSimulator } from '../../../test/harness.ts';
import { setUpSteps, takeStep } from '../../../test/take-steps.ts';
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

test('every change comes out as the events of the platform, with who made it in the audit log', async () => {
  await simulator.control('PUT', '/gateway', { sendLimit: 1000 });
  const ids = await setUpSteps(simulator);
  const client = await openSocket(simulator.url);
  client.identify(ids.bot ?? '');
  await client.event('GUILD_CREATE');
  for (const step of CHANGING_STEPS) {
    const from = (await client.settle()).length;
    await takeStep(simulator, ids, step);
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
