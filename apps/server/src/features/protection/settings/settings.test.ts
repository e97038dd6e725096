import { afterAll, beforeAll, expect, test } from 'bun:test';
import { defaultRaid, defaultThresholds } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { TOTP } from 'otpauth';
import { createServer, moveToPlan } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { samples } from '../../../../test/harness/endpoints/samples.ts';
import { storeIncident } from '../../../../test/harness/protection.ts';
import {
  type OwnTenant,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { protectionSettings } from '../table.ts';
import { applyDueWeakenings } from './weaken-later.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run'] });
});
afterAll(() => service.stop());

const protectedServer = async (plan: 'FREE' | 'ENTERPRISE' = 'ENTERPRISE') => {
  const owner = await service.newTenant({ plan });
  const id = await createServer(owner);
  const path = `/api/v1/servers/${id}/protection`;
  const put = async (body: object) => (await owner.call('PUT', path, { body })).body.data;
  await put({ antiNukeEnabled: true, antiRaidEnabled: true });
  return { owner, id, path, put };
};

const auditOf = async (owner: OwnTenant, action: string) => {
  const { data } = (await owner.call('GET', '/api/v1/audit?limit=100')).body;
  return data.filter((entry: { action: string }) => entry.action === action);
};
const alertsOf = async (
  owner: OwnTenant,
): Promise<{ kind: string; title: string; detail: string }[]> =>
  (await owner.call('GET', '/api/v1/alerts')).body.data;

test('a server has the defaults, and a change is merged into them', async () => {
  const { owner, path } = await protectedServer();
  const before = (await owner.call('GET', path)).body.data;
  expect(before).toMatchObject({
    ...{ antiNukeEnabled: true, antiRaidEnabled: true, autoRepair: false, trusted: [] },
    ...{ thresholds: defaultThresholds, raid: defaultRaid, disableDelayMinutes: 0, pending: [] },
  });
  const body = { thresholds: { bans: { count: 4 } }, raid: { joins: 5 }, autoRepair: true };
  const after = (await owner.call('PUT', path, { body })).body.data;
  expect(after).toMatchObject({
    ...{ autoRepair: true, pending: [], raid: { ...defaultRaid, joins: 5 } },
    thresholds: { ...defaultThresholds, bans: { count: 4, perSeconds: 30 } },
  });
  expect(await auditOf(owner, 'protection.update')).toHaveLength(2);
  expect((await alertsOf(owner)).map(({ title }) => title)).toEqual([
    'The protection of Harbour was made stricter than usual',
  ]);
});

test('a value beyond its bounds is refused by name', async () => {
  const { owner, path } = await protectedServer();
  const tooMany = Array.from({ length: 51 }, (_, i) => ({ platformId: `${i}` }));
  const wrong: [string, unknown[]][] = [
    [
      'thresholds',
      [
        ...[{ count: 0 }, { count: 101 }, { perSeconds: 3601 }, {}].map((bans) => ({ bans })),
        // No known kind is named.
        ...[{}, { foo: { count: 3 } }],
      ],
    ],
    ['raid', [{ joins: 0 }, { minAccountAgeDays: 0 }, {}]],
    ['trusted', [[{ platformId: 7 }], [{ platformId: '7' }, { platformId: '07' }], tooMany]],
    ['disableDelayMinutes', [-1, 1441, '5']],
  ];
  for (const [field, values] of wrong) {
    for (const value of values) {
      const reply = await owner.call('PUT', path, { body: { [field]: value } });
      expect([value, reply.status]).toEqual([value, 400]);
      expect(Object.keys(reply.body.details.fieldErrors)).toEqual([field]);
    }
  }
});

test('automatic repair needs a plan that has it, and stays on after a downgrade', async () => {
  const { owner, path } = await protectedServer();
  expect((await owner.call('PUT', path, { body: { autoRepair: true } })).status).toBe(200);
  const free = await moveToPlan(service, owner, 'FREE');
  expect((await free.call('PUT', path, { body: { autoRepair: true } })).status).toBe(200);
  const other = await protectedServer('FREE');
  const refused = await other.owner.call('PUT', other.path, { body: { autoRepair: true } });
  expect([refused.status, refused.body.error]).toEqual([
    403,
    'The FREE plan does not include automatic repairs',
  ]);
});

test('with a key every weakening waits ten minutes, is an alert at once, and can be taken back', async () => {
  const { owner, put } = await protectedServer();
  const before = Date.now();
  const asked = {
    ...{ antiNukeEnabled: false, trusted: [{ platformId: '7', note: 'me' }] },
    thresholds: { bans: { count: 9 }, kicks: { count: 2 } },
  };
  const waiting = await put(asked);
  expect(waiting).toMatchObject({
    ...{ antiNukeEnabled: true, trusted: [] },
    thresholds: { bans: defaultThresholds.bans, kicks: { count: 2, perSeconds: 30 } },
  });
  const ats = waiting.pending.map(({ at }: { at: string }) => Date.parse(at) - before);
  for (const afterMs of ats) expect(Math.abs(afterMs - 600_000)).toBeLessThan(60_000);
  const expected = [
    { field: 'antiNukeEnabled', from: true, to: false },
    {
      field: 'thresholds.bans',
      from: { count: 5, perSeconds: 30 },
      to: { count: 9, perSeconds: 30 },
    },
    { field: 'trusted', from: [], to: asked.trusted },
  ];
  const byField = waiting.pending.toSorted((a: { field: string }, b: { field: string }) =>
    a.field.localeCompare(b.field),
  );
  expect(byField).toEqual(expected.map((change) => ({ ...change, at: expect.any(String) })));
  const [alert, ...others] = await alertsOf(owner);
  expect(others).toMatchObject([{ title: expect.stringContaining('made stricter than usual') }]);
  expect(alert).toMatchObject({
    ...{ kind: 'INCIDENT', title: 'The protection of Harbour will be weakened' },
    detail: expect.stringMatching(/^Changed by the API key “.+”: .*anti-nuke goes off/),
  });
  expect(await auditOf(owner, 'protection.weaken_later')).toHaveLength(1);

  expect((await put(asked)).pending).toEqual(waiting.pending);
  const left = await put({ antiNukeEnabled: true, trusted: [] });
  expect(left.pending.map(({ field }: { field: string }) => field)).toEqual(['thresholds.bans']);
  expect(await alertsOf(owner)).toHaveLength(2);
});

test('a weakening takes effect once its time has come, once, and what was taken back never', async () => {
  const { owner, id, path, put } = await protectedServer();
  await put({ antiNukeEnabled: false, antiRaidEnabled: false, raid: { joins: 99 } });
  await put({ antiRaidEnabled: true });
  const server = { serverId: id, accountId: owner.accountId };
  await applyDueWeakenings(service, server);
  expect((await owner.call('GET', path)).body.data.antiNukeEnabled).toBe(true);

  const isServer = eq(protectionSettings.serverId, id);
  const [row] = await service.db.select().from(protectionSettings).where(isServer);
  const pending = (row?.pending ?? []).map((waiting) => ({
    ...waiting,
    at: new Date(Date.now() - 1000).toISOString(),
  }));
  await service.db.update(protectionSettings).set({ pending }).where(isServer);
  await Promise.all([1, 2].map(() => applyDueWeakenings(service, server)));
  expect((await owner.call('GET', path)).body.data).toMatchObject({
    ...{ antiNukeEnabled: false, antiRaidEnabled: true, pending: [] },
    raid: { ...defaultRaid, joins: 99 },
  });
  const entries = await auditOf(owner, 'protection.weaken');
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({
    actor: { type: 'SYSTEM', id: null },
    changes: { antiNukeEnabled: { from: true, to: false } },
  });
});

test('the switches of the server’s own record obey the same rules', async () => {
  const { owner, id, path } = await protectedServer();
  const ofServer = `/api/v1/servers/${id}`;
  const body = { antiNukeEnabled: false, name: 'Quay' };
  const reply = await owner.call('PUT', ofServer, { body });
  expect(reply.body.data).toMatchObject({ antiNukeEnabled: true, name: 'Quay' });
  const { pending } = (await owner.call('GET', path)).body.data;
  expect(pending).toMatchObject([{ field: 'antiNukeEnabled', from: true, to: false }]);
  expect((await alertsOf(owner))[0]?.title).toBe('The protection of Quay will be weakened');
  await owner.call('PUT', ofServer, { body: { antiNukeEnabled: true } });
  expect((await owner.call('GET', path)).body.data.pending).toEqual([]);

  const { call } = await openDashboard(service, owner);
  expect((await call('PUT', `/servers/${id}`, { antiNukeEnabled: false })).body.data).toMatchObject(
    {
      antiNukeEnabled: false,
    },
  );
  expect((await alertsOf(owner))[0]).toMatchObject({
    title: 'The protection of Quay was weakened',
    detail: expect.stringContaining('Changed by somebody in the dashboard: anti-nuke goes off.'),
  });
});

test('in the dashboard a weakening waits as long as the owner chose, a shorter delay too', async () => {
  const { owner, id } = await protectedServer();
  const { call } = await openDashboard(service, owner);
  const put = async (body: object) =>
    (await call('PUT', `/servers/${id}/protection`, body)).body.data;
  expect(await put({ disableDelayMinutes: 30 })).toMatchObject({ disableDelayMinutes: 30 });
  const waiting = await put({ disableDelayMinutes: 0, antiRaidEnabled: false });
  expect(waiting).toMatchObject({ disableDelayMinutes: 30, antiRaidEnabled: true });
  for (const { at } of waiting.pending) {
    expect(Math.abs(Date.parse(at) - Date.now() - 30 * 60_000)).toBeLessThan(60_000);
  }
  expect(waiting.pending).toHaveLength(2);
});

test('a stolen owner session without the second factor cannot disable protection, trust anyone, or delete backups', async () => {
  const { owner, id, path } = await protectedServer();
  const own = await openDashboard(service, owner);
  const { secret } = (await own.call('POST', '/second-factor')).body.data;
  const code = new TOTP({ secret }).generate();
  expect((await own.call('PUT', '/second-factor', { code })).status).toBe(200);
  const { params } = await samples.getBackup(owner);
  const server = (await owner.call('GET', `/api/v1/servers/${id}`)).body.data;
  const incident = await storeIncident(owner, id);

  const stolen = await openDashboard(service, owner);
  const attempts: [string, string, object?][] = [
    ['PUT', `/servers/${id}/protection`, { antiNukeEnabled: false }],
    ['PUT', `/servers/${id}/protection`, { antiRaidEnabled: false }],
    ['PUT', `/servers/${id}/protection`, { trusted: [{ platformId: '666', note: 'me' }] }],
    ['PUT', `/servers/${id}/protection`, { thresholds: { channelDeletes: { count: 100 } } }],
    ['PUT', `/servers/${id}/protection`, { raid: { perSeconds: 1 } }],
    ['PUT', `/servers/${id}`, { antiNukeEnabled: false }],
    ['PUT', `/servers/${id}`, { antiRaidEnabled: false }],
    ['PUT', `/servers/${id}`, { platformGuildId: '424242' }],
    ['PUT', `/servers/${id}`, { logChannelId: '424242' }],
    ['PUT', `/servers/${id}`, { retention: { daily: 0, weekly: 0, monthly: 0 } }],
    ['DELETE', `/servers/${id}`],
    ['PUT', `/bots/${server.customBotId}`, { isActive: false }],
    ['PUT', `/bots/${server.customBotId}`, { botToken: 'of-another-bot' }],
    ['DELETE', `/bots/${server.customBotId}`],
    ['DELETE', `/servers/${params?.id}/backups/${params?.backupId}`],
    ['POST', `/servers/${id}/health/accept`],
    ['POST', `/incidents/${incident.id}/return-roles`],
    ['POST', `/incidents/${incident.id}/dismiss`],
    ['PUT', '/alerts/settings', { INCIDENT: { email: false, channel: false, dashboard: false } }],
    ['POST', '/keys', { name: 'a way around', scopes: ['*'] }],
    ['POST', '/second-factor/end', { code: '000000' }],
    ['DELETE', '/account', { confirm: `user-${owner.platformId}` }],
  ];
  for (const [method, where, body] of attempts) {
    const { status } = await stolen.call(method, where, body);
    expect([method, where, body, status < 400]).toEqual([method, where, body, false]);
    expect([400, 403]).toContain(status);
  }
  expect((await owner.call('GET', path)).body.data).toMatchObject({
    ...{ antiNukeEnabled: true, antiRaidEnabled: true, trusted: [], pending: [] },
    thresholds: defaultThresholds,
  });
  expect(await auditOf(owner, 'protection.weaken_later')).toEqual([]);
  // Making it stricter needs no code: an owner in a hurry is not held up.
  const stricter = { thresholds: { channelDeletes: { count: 1 } } };
  expect((await stolen.call('PUT', `/servers/${id}/protection`, stricter)).status).toBe(200);
});
