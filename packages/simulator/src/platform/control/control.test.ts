import { afterAll, beforeAll, expect, test } from 'bun:test';
import { freshId, startTestSimulator, type TestSimulator } from '../../../test/harness.ts';
import { createAuditLogs } from '../announce/audit-log.ts';
import { createPlatformApp } from '../app.ts';
import { createGateway } from '../gateway/gateway.ts';
import { createWorld } from '../guild/world.ts';
import { createIdentities } from '../identity/identities.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterAll(() => simulator.stop());

test('the control API answers only this machine', async () => {
  const world = createWorld({ makeGuild: () => undefined, images: new Map() });
  const identities = createIdentities({ isOpen: true, now: Date.now });
  const gateway = createGateway(world, identities);
  const app = createPlatformApp({ world, identities, gateway, auditLogs: createAuditLogs() });
  const ask = async (remoteAddress: string) =>
    (await app.request('/__sim/limits', {}, { remoteAddress })).status;
  expect(await ask('127.0.0.1')).toBe(200);
  expect(await ask('::1')).toBe(200);
  expect(await ask('10.0.0.7')).toBe(403);
  expect(await ask('::ffff:10.0.0.7')).toBe(403);
});

test('an invalid body of the control API is refused and changes nothing', async () => {
  const refuse = (method: string, path: string, body: unknown) =>
    expect(simulator.control(method, path, body)).rejects.toThrow(': 400');
  await refuse('PUT', '/limits', { default: { limit: 0, perMs: 1 } });
  await refuse('POST', '/faults', { match: {}, action: 'kill' });
  await refuse('POST', '/faults', { match: {}, action: 'explode' });
  await refuse('PUT', '/guilds/abc', {});
  await refuse('PUT', `/guilds/${freshId()}`, { roles: 'many' });
  expect(await simulator.control('GET', '/faults')).toEqual([]);
});

test('a user can be put into servers and taken out again', async () => {
  const [userId, guildId] = [freshId(), freshId()];
  await simulator.control('PUT', `/users/${userId}`, { guildIds: [guildId] });
  const { access_token } = await simulator.control('POST', '/tokens', {
    clientId: '900000000000000001',
    userId,
    scopes: ['identify', 'guilds'],
  });
  const listGuilds = async () => {
    const headers = { Authorization: `Bearer ${access_token}` };
    const response = await fetch(`${simulator.api}/v10/users/@me/guilds`, { headers });
    return response.json();
  };
  expect(await listGuilds()).toMatchObject([{ id: guildId, owner: false }]);
  await simulator.control('PUT', `/users/${userId}`, { guildIds: [] });
  expect(await listGuilds()).toEqual([]);
});

test('older versions of the API and the gateway address are served', async () => {
  for (const prefix of ['', '/v9', '/v10']) {
    const response = await fetch(`${simulator.api}${prefix}/gateway/bot`, {
      headers: { Authorization: 'Bot x' },
    });
    expect(await response.json()).toMatchObject({ shards: 1 });
  }
});

test('what belongs to a channel is not kept without it', async () => {
  const id = freshId();
  const state = await simulator.control('GET', `/guilds/${id}`);
  await simulator.control('PUT', `/guilds/${id}`, { ...state, channels: [] });
  const emptied = await simulator.control('GET', `/guilds/${id}`);
  expect(emptied).toMatchObject({
    ...{ threads: [], webhooks: [], invites: [] },
    events: [{ channel_id: null }],
    onboarding: { default_channel_ids: [] },
    welcomeScreen: { welcome_channels: [] },
  });
  expect(emptied.onboarding.prompts).toHaveLength(1);
});
