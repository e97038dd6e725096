import { expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import {
  storeAct,
  storeGoodBackup,
  storeIncident,
  storeWave,
} from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { raidWaves } from '../raid/table.ts';
import { incidentExecutors, incidents, protectionSettings } from '../table.ts';
import { applyDueDecisions } from './decide.ts';

/** No job runs: what is queued stays so. */
const { service, fixture } = await startBackupFixture();
const { db } = service;

const attacked = async (server?: OwnedGuild) => {
  const { tenant, serverId } = server ?? (await fixture.newServer());
  const owner = { db, accountId: tenant.accountId };
  const { id, executorId } = await storeIncident(owner, serverId);
  return { tenant, serverId, incidentId: id, executorId, path: `/incidents/${id}` };
};
type Attacked = Awaited<ReturnType<typeof attacked>>;

const byKey = ({ tenant, path }: Attacked, what: string, method = 'POST') =>
  tenant.call(method, `/api/v1${path}/${what}`);

const inDashboard = async ({ tenant, path }: Attacked, what: string, method = 'POST') =>
  (await openDashboard(service, tenant)).call(method, `${path}/${what}`);

const alertsOf = async ({ tenant }: Attacked) =>
  (await tenant.call('GET', '/api/v1/alerts')).body.data;

const returnsOf = async ({ incidentId }: Attacked) =>
  (
    await db
      .select({ returnStatus: incidentExecutors.returnStatus })
      .from(incidentExecutors)
      .where(eq(incidentExecutors.incidentId, incidentId))
  ).map(({ returnStatus }) => returnStatus);

const minutesUntil = (at: string): number => (Date.parse(at) - Date.now()) / 60_000;

test.each([
  ['dismiss', /will be dismissed/],
  ['return-roles', /will be given back/],
])('%s by a key waits, and the owner is told at once', async (action, title) => {
  const incident = await attacked();
  const { status, body } = await byKey(incident, action);
  expect(minutesUntil(body.data.pending.at)).toBeWithin(9, 11);
  expect([status, body.data]).toMatchObject([
    202,
    { status: 'contained', endedAt: null, pending: { action, at: expect.any(String) } },
  ]);
  expect(await returnsOf(incident)).toEqual([null]);
  expect((await alertsOf(incident))[0]).toMatchObject({
    ...{ title: expect.stringMatching(title), href: expect.stringContaining(incident.path) },
    detail: expect.stringMatching(/by the API key “.*take it back/),
  });
  // Asked for again it waits no longer, and is no other alert.
  const before = (await recordOf(incident)).pending;
  const again = await byKey(incident, action);
  expect(again.body.data.pending).toEqual(before);
  expect(await alertsOf(incident)).toHaveLength(1);
});

test('a decision of a key waits as long as weakening protection does', async () => {
  const incident = await attacked();
  const { tenant, serverId } = incident;
  const { accountId } = tenant;
  await db.insert(protectionSettings).values({ serverId, accountId, disableDelayMinutes: 90 });
  const { body } = await byKey(incident, 'dismiss');
  expect(minutesUntil(body.data.pending.at)).toBeWithin(88, 91);
});

/** As its job does, once the time has come. */
const letItTakeEffect = async ({ tenant, serverId, incidentId }: Attacked) => {
  const past = sql`jsonb_set(${incidents.pending}, '{at}', '"2020-01-01T00:00:00.000Z"')`;
  await db.update(incidents).set({ pending: past }).where(eq(incidents.id, incidentId));
  await applyDueDecisions(service, { accountId: tenant.accountId, serverId });
};

const recordOf = async ({ tenant, path }: Attacked) =>
  (await tenant.call('GET', `/api/v1${path}`)).body.data;

const auditOf = async ({ tenant }: Attacked) =>
  (await tenant.call('GET', '/api/v1/audit')).body.data.map(
    ({ action, actor }: { action: string; actor: { type: string } }) => `${action} ${actor.type}`,
  );

test('what a key has decided takes effect when its time has come, and not before', async () => {
  const incident = await attacked();
  await byKey(incident, 'return-roles');
  const { accountId } = incident.tenant;
  await applyDueDecisions(service, { accountId, serverId: incident.serverId });
  expect(await returnsOf(incident)).toEqual([null]);
  await letItTakeEffect(incident);
  expect(await returnsOf(incident)).toEqual(['wanted']);
  expect((await recordOf(incident)).pending).toBeNull();
  await byKey(incident, 'dismiss');
  await letItTakeEffect(incident);
  expect(await recordOf(incident)).toMatchObject({ status: 'dismissed', pending: null });
  expect((await auditOf(incident)).slice(0, 4)).toEqual([
    ...['incident.dismiss SYSTEM', 'incident.dismiss_later KEY'],
    ...['incident.return_roles SYSTEM', 'incident.return_roles_later KEY'],
  ]);
});

test.each([
  ['by the same call of a key', byKey],
  ['in the dashboard', inDashboard],
])('what a key has decided is taken back %s', async (_, call) => {
  const incident = await attacked();
  await byKey(incident, 'dismiss');
  const { status, body } = await call(incident, 'pending', 'DELETE');
  expect([status, body.data.pending]).toEqual([200, null]);
  expect((await call(incident, 'pending', 'DELETE')).status).toBe(409);
  await letItTakeEffect(incident);
  expect(await recordOf(incident)).toMatchObject({ status: 'contained', endedAt: null });
});

test('a repair takes a dismissal back', async () => {
  const incident = await attacked();
  const { tenant, serverId } = incident;
  await storeGoodBackup({ db, accountId: tenant.accountId }, serverId);
  await byKey(incident, 'dismiss');
  expect((await byKey(incident, 'repair')).status).toBe(202);
  expect((await recordOf(incident)).pending).toBeNull();
});

test('what is not possible any more when its time has come is dropped', async () => {
  const incident = await attacked();
  await byKey(incident, 'dismiss');
  const { incidentId: id } = incident;
  await db.update(incidents).set({ repairRestoreId: id }).where(eq(incidents.id, id));
  await db.$client`
    insert into restores (id, account_id, server_id, backup_id, components, status)
    select gen_random_uuid(), account_id, server_id, id, '[]', 'running' from incidents where id = ${id}`;
  await letItTakeEffect(incident);
  expect(await recordOf(incident)).toMatchObject({ status: 'contained', pending: null });
  expect(await returnsOf(incident)).toEqual([null]);
});

/** Somebody else attacks, joins the incident and is stopped. */
const joinedBySomebody = async ({ incidentId }: Attacked) => {
  const [platformId, now] = [randomPlatformId(), new Date()];
  await db.insert(incidentExecutors).values({
    ...{ incidentId, platformId, username: 'later', isBot: false, status: 'stopped' },
    ...{ stoppedAt: now, rolesBefore: ['12'], rolesTaken: ['12'] },
  });
  return platformId;
};

/** Whoever was stopped was given power again, and goes on. */
const goneOn = async ({ tenant, serverId, incidentId, executorId }: Attacked) => {
  const act = { serverId, incidentId, executorId, at: new Date(Date.now() + 1000) };
  await storeAct({ db, accountId: tenant.accountId }, act);
};

test('roles go back only to those who had lost theirs when a key asked for it', async () => {
  const incident = await attacked();
  await byKey(incident, 'return-roles');
  const later = await joinedBySomebody(incident);
  await letItTakeEffect(incident);
  const { incidentId, executorId } = incident;
  const { platformId, returnStatus } = incidentExecutors;
  const people = await db
    .select({ platformId, returnStatus })
    .from(incidentExecutors)
    .where(eq(incidentExecutors.incidentId, incidentId));
  expect(new Map(people.map((one) => [one.platformId, one.returnStatus]))).toEqual(
    new Map([
      [executorId, 'wanted'],
      [later, null],
    ]),
  );
});

test.each([
  ['return-roles', 'more is done by the one who was stopped', goneOn, /were not given back/],
  ['dismiss', 'somebody joins the attack', joinedBySomebody, /was not dismissed/],
  ['dismiss', 'more is done by the one who was stopped', goneOn, /was not dismissed/],
] as const)(
  '%s by a key is dropped where %s meanwhile, and the owner is told',
  async (action, _, goOn, title) => {
    const incident = await attacked();
    await byKey(incident, action);
    await goOn(incident);
    await letItTakeEffect(incident);
    expect(await recordOf(incident)).toMatchObject({ status: 'contained', pending: null });
    expect(new Set(await returnsOf(incident))).toEqual(new Set([null]));
    expect((await alertsOf(incident))[0]).toMatchObject({
      ...{ title: expect.stringMatching(title), href: expect.stringContaining(incident.path) },
      detail: expect.stringContaining('not as it was'),
    });
    expect((await auditOf(incident))[0]).toBe('incident.take_back SYSTEM');
  },
);

test('what is done by those who were stopped, and is no attack, keeps no dismissal back', async () => {
  const incident = await attacked();
  await byKey(incident, 'dismiss');
  const { tenant, serverId, incidentId, executorId } = incident;
  const act = { kind: 'other', action: 'threadCreated', at: new Date(Date.now() + 1000) };
  const owner = { db, accountId: tenant.accountId };
  await storeAct(owner, { serverId, incidentId, executorId, ...act });
  await letItTakeEffect(incident);
  expect(await recordOf(incident)).toMatchObject({ status: 'dismissed' });
});

test('newcomers of a raid who came after a key asked to dismiss it are not kept by that', async () => {
  const server = await fixture.newServer();
  const { tenant, serverId } = server;
  const incidentId = await storeWave({ db, accountId: tenant.accountId }, serverId);
  const raid = { tenant, serverId, incidentId, executorId: '', path: `/incidents/${incidentId}` };
  await byKey(raid, 'dismiss');
  const lastJoinAt = new Date(Date.now() + 1000);
  await db.update(raidWaves).set({ lastJoinAt }).where(eq(raidWaves.incidentId, incidentId));
  await letItTakeEffect(raid);
  expect(await recordOf(raid)).toMatchObject({ status: 'contained', pending: null });
});

test('somebody in the dashboard decides at once, also what waits', async () => {
  const incident = await attacked();
  await byKey(incident, 'dismiss');
  const { status, body } = await inDashboard(incident, 'dismiss');
  expect([status, body.data]).toMatchObject([202, { status: 'dismissed', pending: null }]);
  expect(await returnsOf(incident)).toEqual(['wanted']);
});
