import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  createBot,
  createServer,
  fillServer,
  moveToPlan,
  ownerOf,
} from '../../../test/harness/bots-and-servers.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const path = '/api/v1/servers';
const read = (tenant: Tenant, id: string) => tenant.call('GET', `${path}/${id}`);
const update = (tenant: Tenant, id: string, body: object) =>
  tenant.call('PUT', `${path}/${id}`, { body });
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

describe('a change', () => {
  test.each([
    ['name', 'x'],
    ['name', '👍'.repeat(100)],
    ['platformGuildId', randomPlatformId()],
    ['verifiedRoleId', '18446744073709551615'],
    ['logChannelId', '1'],
    ['captchaType', 'NONE'],
    ['captchaType', 'TURNSTILE'],
    ['captchaType', 'HCAPTCHA'],
    ['vpnBlockEnabled', true],
    ['altDetectEnabled', true],
    ['firewallEnabled', true],
    ['antiNukeEnabled', true],
    ['antiRaidEnabled', true],
    ['restoreRolesOnRejoin', false],
    ['minAccountAgeDays', 1],
    ['minAccountAgeDays', 365],
    ['backupSchedule', { everyHours: 1 }],
    ['backupSchedule', { everyHours: 168 }],
    ['retention', { daily: 0, weekly: 0, monthly: 0 }],
    ['retention', { daily: 100, weekly: 100, monthly: 100 }],
  ])('of %s to %j is answered, read and audited; what is not writable stays', async (field, to) => {
    const { owner, id } = await ownerOf(service);
    const before = (await read(owner, id)).body.data;
    const ids = { id: crypto.randomUUID(), accountId: crypto.randomUUID() };
    const readOnly = { ...ids, memberCount: 99, createdAt: '2000-01-01T00:00:00Z', plan: 'FREE' };
    const reply = await update(owner, id, { ...readOnly, [field]: to });
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({ ...before, [field]: to, updatedAt: expect.any(String) });
    expect((await read(owner, id)).body.data).toEqual(reply.body.data);
    const [entry] = (await owner.call('GET', '/api/v1/audit')).body.data;
    expect(entry).toMatchObject({ action: 'server.update', subject: { type: 'server', id } });
    expect(entry.changes).toEqual({ [field]: { from: before[field], to } });
  });

  test.each([
    ['name', ''],
    ['captchaType', 'pow'],
    ['captchaType', null],
    ['vpnBlockEnabled', 'true'],
    ['minAccountAgeDays', 366],
    ['minAccountAgeDays', -1],
    ['minAccountAgeDays', 1.5],
    ['minAccountAgeDays', '1'],
    ['backupSchedule', { everyHours: 0 }],
    ['backupSchedule', { everyHours: 169 }],
    ['backupSchedule', { everyHours: 1.5 }],
    ['backupSchedule', {}],
    ['retention', { daily: 101, weekly: 1, monthly: 1 }],
    ['retention', { daily: 1, weekly: -1, monthly: 1 }],
    ['retention', { daily: 1, weekly: 1 }],
    ['retention', null],
    ['platformGuildId', 42],
    ['verifiedRoleId', ''],
    ['customBotId', 'bot'],
  ])('of %s to %j is refused on that field', async (field, value) => {
    const { owner, id } = await ownerOf(service);
    const reply = await update(owner, id, { [field]: value });
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
  });

  test('back to what may be empty empties it', async () => {
    const { owner, id } = await ownerOf(service);
    const set = { verifiedRoleId: '1', logChannelId: '2', backupSchedule: { everyHours: 6 } };
    const empty = { verifiedRoleId: null, logChannelId: null, backupSchedule: null };
    expect((await update(owner, id, set)).body.data).toMatchObject(set);
    expect((await update(owner, id, empty)).body.data).toMatchObject(empty);
  });

  test('that names no known field is refused', async () => {
    const { owner, id } = await ownerOf(service);
    for (const body of [{}, { id, createdAt: 'x', accountId: id, memberCount: 1, plan: 'FREE' }]) {
      const reply = await update(owner, id, body);
      expect(reply.status).toBe(400);
      expect(reply.body.details.formErrors).toHaveLength(1);
    }
  });

  test('that changes nothing is audited by no entry', async () => {
    const { owner, id } = await ownerOf(service);
    const auditBefore = (await owner.call('GET', '/api/v1/audit')).body;
    const { data } = (await read(owner, id)).body;
    expect((await update(owner, id, data)).body.data).toEqual(data);
    expect((await owner.call('GET', '/api/v1/audit')).body).toEqual(auditBefore);
  });

  test('to a new guild keeps everything; to the guild of another own server it is refused', async () => {
    const { owner, id } = await ownerOf(service);
    await fillServer(service, owner, id, 12);
    const { _count, platformGuildId: left } = (await read(owner, id)).body.data;
    const moved = await update(owner, id, { platformGuildId: randomPlatformId() });
    expect(moved.body.data._count).toEqual(_count);
    expect((await owner.call('GET', `${path}/${id}/members`)).body.pagination.total).toBe(12);
    const { platformGuildId } = moved.body.data;
    const other = await createServer(owner, { platformGuildId: left });
    expect((await update(owner, other, { platformGuildId })).status).toBe(409);
    expect((await read(owner, other)).body.data.platformGuildId).toBe(left);
  });

  test('to another own bot is granted, to a foreign or unknown one it is 404', async () => {
    const { owner, id } = await ownerOf(service);
    const foreign = await createBot(await service.newTenant());
    const refusals = [foreign, crypto.randomUUID()].map((customBotId) =>
      update(owner, id, { customBotId }),
    );
    expect(statusesOf(await Promise.all(refusals))).toEqual([404, 404]);
    const customBotId = await createBot(owner);
    expect((await update(owner, id, { customBotId })).body.data.customBotId).toBe(customBotId);
  });

  test('that switches on what the plan excludes is refused, also among others', async () => {
    const { owner, id } = await ownerOf(service, 'FREE');
    for (const setting of ['altDetectEnabled', 'firewallEnabled']) {
      const refused = await update(owner, id, { name: 'Renamed', [setting]: true });
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({ error: expect.stringContaining(setting) });
      expect((await update(owner, id, { [setting]: false })).status).toBe(200);
    }
    expect((await read(owner, id)).body.data.name).toBe('Harbour');
    expect((await update(owner, id, { vpnBlockEnabled: true })).status).toBe(200);
  });

  test('is still possible after a downgrade, and what was on can only be switched off', async () => {
    const { owner, id } = await ownerOf(service, 'PREMIUM');
    await update(owner, id, { altDetectEnabled: true, firewallEnabled: true });
    const free = await moveToPlan(service, owner, 'FREE');
    expect((await update(free, id, { name: 'Renamed' })).status).toBe(200);
    expect((await update(free, id, { name: 'Again', firewallEnabled: true })).status).toBe(200);
    expect((await update(free, id, { firewallEnabled: false })).status).toBe(200);
    expect((await update(free, id, { firewallEnabled: true })).status).toBe(403);
  });
});
