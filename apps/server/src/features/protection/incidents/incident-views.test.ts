import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { insertMembers, newServer } from '../../../../test/harness/members.ts';
import { storeAct, storeIncident } from '../../../../test/harness/protection.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { incidentSteps } from '../table.ts';

let service: TestService;
let owner: OwnTenant;
let serverId: string;
let incident: Awaited<ReturnType<typeof storeIncident>>;

const startedAt = Date.parse('2026-05-10T12:00:00.000Z');
const at = (ms: number) => new Date(startedAt + ms);
const channels = 13;

beforeAll(async () => {
  service = await startTestService();
  owner = await service.newTenant();
  serverId = await createServer(owner);
  incident = await storeIncident(owner, serverId, { incident: { firstActAt: at(0) } });
  const { id: incidentId, executorId } = incident;
  const ofIncident = { serverId, incidentId, executorId };
  for (let index = 0; index < channels; index++) {
    const before = { name: `channel ${index}`, type: 0 };
    await storeAct(owner, { ...ofIncident, before, at: at(index * 100), targetId: String(index) });
  }
  await storeAct(owner, {
    ...{ ...ofIncident, kind: 'dangerousGrants', action: 'roleChanged', targetId: '7' },
    ...{ before: { permissions: '1024' }, after: { permissions: '1032' }, at: at(50) },
  });
  await storeAct(owner, {
    ...{ ...ofIncident, kind: 'kicks', action: 'memberKicked', targetId: '8', at: at(60) },
  });
  await storeAct(owner, {
    ...{
      ...ofIncident,
      kind: 'settingsChanges',
      action: 'guildChanged',
      targetId: '1',
      at: at(70),
    },
    ...{ before: { mfa_level: 1, name: 'Ours' }, after: { mfa_level: 0, name: 'Theirs' } },
  });
  await owner.db.insert(incidentSteps).values({
    ...{ incidentId, seq: 2, kind: 'PAUSE_INVITES', status: 'failed' },
    ...{ detail: { code: 'MISSING_PERMISSION', token: 'kept' }, at: at(500) },
  });
});
afterAll(() => service.stop());

const ask = async (path: string, tenant: OwnTenant = owner) =>
  (await openDashboard(service, tenant)).call('GET', `/incidents/${incident.id}${path}`);

test('the course of an incident has one entry for each action, and every step', async () => {
  const { status, body } = await ask('/course');
  expect(status).toBe(200);
  const { groups, steps, executors, trigger, notBroughtBack } = body.data;
  expect(notBroughtBack).toEqual([
    expect.stringContaining('a pull adds those who agreed'),
    expect.stringContaining('two-factor authentication can be set only by the owner'),
  ]);
  expect(groups).toEqual([
    {
      ...{ executorId: incident.executorId, kind: 'channelDeletes', action: 'channelDeleted' },
      // Two are of the harness, which gives them no name.
      ...{ count: channels + 2, firstAt: at(0).toISOString(), lastAt: expect.any(String) },
      names: [0, 1, 2, 3, 4].map((index) => `channel ${index}`),
    },
    {
      ...{ executorId: incident.executorId, kind: 'dangerousGrants', action: 'roleChanged' },
      ...{ count: 1, firstAt: at(50).toISOString(), lastAt: at(50).toISOString(), names: [] },
    },
    {
      ...{ executorId: incident.executorId, kind: 'kicks', action: 'memberKicked' },
      ...{ count: 1, firstAt: at(60).toISOString(), lastAt: at(60).toISOString(), names: [] },
    },
    expect.objectContaining({ action: 'guildChanged', count: 1 }),
  ]);
  expect(steps).toMatchObject([
    { seq: 1, kind: 'STOP_EXECUTOR', status: 'done', code: null, isKicked: false },
    { seq: 2, kind: 'PAUSE_INVITES', status: 'failed', code: 'MISSING_PERMISSION' },
  ]);
  expect(JSON.stringify(steps)).not.toContain('kept');
  expect(executors).toMatchObject([{ status: 'stopped', notStopped: null, rolesTaken: ['12'] }]);
  expect(trigger.kind).toBe('channelDeletes');
});

test('acts are found by who did them and what it was, with permissions by name', async () => {
  const found = await ask(`/acts?action=roleChanged&executorId=${incident.executorId}`);
  expect(found.body.pagination.total).toBe(1);
  expect(found.body.data[0].changes).toEqual([
    {
      field: 'permissions',
      from: ['VIEW_CHANNEL'],
      to: ['ADMINISTRATOR', 'VIEW_CHANNEL'],
    },
  ]);
  const page = await ask('/acts?action=channelDeleted&limit=10&page=2');
  expect(page.body.pagination).toMatchObject({ total: channels + 2, totalPages: 2 });
  expect(page.body.data).toHaveLength(5);
  expect((await ask('/acts?executorId=1')).body.pagination.total).toBe(0);
  expect((await ask('/acts?executorId=x')).status).toBe(400);
});

test('whom something was done to is told by name where they have verified', async () => {
  const names = async () =>
    (await ask('/acts?action=memberKicked')).body.data.map(({ name }: { name: unknown }) => name);
  expect(await names()).toEqual([null]);
  // Somebody of another account with the same id tells nothing.
  const other = await newServer(service);
  await insertMembers(owner.db, other, { platformId: '8', username: 'stranger' });
  expect(await names()).toEqual([null]);
  await insertMembers(owner.db, { owner, serverId }, { platformId: '8', username: 'deckhand' });
  expect(await names()).toEqual(['deckhand']);
});

test("somebody else's incident is not found", async () => {
  const stranger = await service.newTenant();
  expect((await ask('/course', stranger)).status).toBe(404);
  expect((await ask('/acts', stranger)).status).toBe(404);
});
