import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setContact } from '../../../../test/harness/billing/customer.ts';
import { createBot, createServer } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

type Mail = { to: string; subject: string };

let service: TestService;
const mails: Mail[] = [];
beforeAll(async () => {
  service = await startTestService({
    mailer: { send: async (mail: Mail) => void mails.push(mail) },
    doesWork: ['alerts.deliver', 'alerts.send-mail'],
  });
});
afterAll(() => service.stop());

const protectedServer = async (switches: object = { antiNukeEnabled: true }) => {
  const owner = await service.newTenant({ plan: 'ENTERPRISE' });
  const email = `owner-${randomPlatformId()}@example.com`;
  await setContact(owner, { email, displayName: 'Ada' });
  const botId = await createBot(owner);
  const serverId = await createServer(owner, { customBotId: botId, name: 'Quay' });
  await owner.call('PUT', `/api/v1/servers/${serverId}`, { body: switches });
  const path = `/api/v1/servers/${serverId}`;
  return { owner, botId, serverId, path, email };
};

type Alert = { kind: string; title: string; detail: string; serverId: string | null };
const alertsOf = async (owner: OwnTenant): Promise<Alert[]> =>
  (await owner.call('GET', '/api/v1/alerts')).body.data;

const silent = { INCIDENT: { email: false, channel: false, dashboard: false } };

test('what takes protection away by another endpoint is an alert at once, which names the key', async () => {
  const { owner, botId, serverId, path } = await protectedServer();
  const key = await service.newKey(owner, ['bots:write', 'servers:write', 'servers:delete']);
  const other = await createBot(owner);
  const last = async () => (await alertsOf(owner))[0];
  const steps: [string, string, object | undefined, string, string][] = [
    ['PUT', `/api/v1/bots/${botId}`, { isActive: false }, 'was switched off', 'not watched'],
    ['PUT', path, { platformGuildId: randomPlatformId() }, 'was weakened', 'another server'],
    ['PUT', path, { customBotId: other }, 'was weakened', 'another bot watches'],
    [
      ...(['PUT', `/api/v1/bots/${other}`, { botToken: 'b3RoZXI.token-value' }] as const),
      ...(['was given another token', 'if it is not a token of the same bot'] as const),
    ],
    ['DELETE', path, undefined, 'protected server Quay was deleted', 'not watched any more'],
  ];
  for (const [index, [method, where, body, title, detail]] of steps.entries()) {
    const reply = await key.call(method, where, body && { body });
    expect([where, reply.status, reply.text]).toEqual([where, 200, reply.text]);
    expect(await last()).toMatchObject({
      ...{ kind: 'INCIDENT', title: expect.stringContaining(title) },
      detail: expect.stringContaining(detail),
    });
    expect((await last())?.detail).toContain('by the API key “test”');
    // With the server its own alerts are gone; what is about the account stays.
    expect(await alertsOf(owner)).toHaveLength(method === 'DELETE' ? 3 : index + 1);
  }
  expect((await alertsOf(owner)).map((alert) => alert.serverId)).not.toContain(serverId);
});

test('nobody is told of a server that is not protected, or of what changes nothing', async () => {
  const { owner, botId, path } = await protectedServer({ name: 'Mole' });
  await owner.call('PUT', `/api/v1/bots/${botId}`, { body: { isActive: false } });
  await owner.call('PUT', path, { body: { platformGuildId: randomPlatformId() } });
  await owner.call('DELETE', path);
  expect(await alertsOf(owner)).toEqual([]);
  const raid = await protectedServer({ antiRaidEnabled: true });
  const { customBotId, platformGuildId } = (await raid.owner.call('GET', raid.path)).body.data;
  await raid.owner.call('PUT', raid.path, { body: { customBotId, platformGuildId, name: 'Pier' } });
  await raid.owner.call('PUT', `/api/v1/bots/${raid.botId}`, { body: { name: 'Bo’sun' } });
  expect(await alertsOf(raid.owner)).toEqual([]);
  const { call } = await openDashboard(service, raid.owner);
  await call('PUT', `/bots/${raid.botId}`, { isActive: false });
  expect((await alertsOf(raid.owner))[0]?.detail).toContain('by somebody in the dashboard');
});

test('alerts about attacks cannot be silenced unseen, and never those about protection', async () => {
  const { owner, path, email } = await protectedServer();
  const mailsHere = () => mails.filter(({ to }) => to === email).map(({ subject }) => subject);
  const muting = await owner.call('PUT', '/api/v1/alerts/settings', { body: silent });
  expect(muting.body.data.INCIDENT).toEqual(silent.INCIDENT);
  // Again it changes nothing.
  await owner.call('PUT', '/api/v1/alerts/settings', { body: silent });
  await owner.call('PUT', `${path}/protection`, { body: { antiNukeEnabled: false } });
  expect((await alertsOf(owner)).map(({ title }) => title)).toEqual([
    'The protection of Quay will be weakened',
    'Alerts about attacks were silenced',
  ]);
  await eventually(15_000, async () => {
    expect(mailsHere().join('\n')).toContain('Alerts about attacks were silenced');
    expect(mailsHere().join('\n')).toContain(
      'The protection of one of your servers will be weakened',
    );
  });
});

test('a key that makes every moderator be stopped is told of', async () => {
  const { owner, path } = await protectedServer();
  const put = (body: object) => owner.call('PUT', `${path}/protection`, { body });
  const one = { count: 1, perSeconds: 3600 };
  expect((await put({ thresholds: { bans: one, kicks: one } })).status).toBe(200);
  expect(await alertsOf(owner)).toMatchObject([
    {
      title: 'The protection of Quay was made stricter than usual',
      detail: expect.stringContaining('2 thresholds are below the default now'),
    },
  ]);
  await put({ thresholds: { bans: one } });
  const { call } = await openDashboard(service, owner);
  await call('PUT', `/servers${path.split('/servers')[1]}/protection`, {
    thresholds: { roleDeletes: one },
  });
  expect(await alertsOf(owner)).toHaveLength(1);
});
