import { expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { decideAtOnce, storeIncident } from '../../../../test/harness/protection.ts';
import { addExecutor } from '../queries/executors.ts';
import { incidentExecutors, incidentSteps } from '../table.ts';

const { service, simulator, fixture } = await startBackupFixture({
  doesWork: ['protection.return-roles'],
});

const moderator = { id: '8001', name: 'Moderator', permissions: '16' };
const crew = { id: '8002', name: 'Crew', permissions: '0' };
const [here, gone] = ['880000000000000001', '880000000000000002'];

/** A guild whose moderator has lost their role, which somebody else had who has left. */
const attackedGuild = async (changes: object = {}) => {
  const server = await fixture.newServer({
    roles: [moderator, crew],
    members: [{ user: { id: here, username: 'mate' }, roles: [crew.id] }],
    ...changes,
  });
  const owner = { db: service.db, accountId: server.tenant.accountId };
  const { id } = await storeIncident(owner, server.serverId, {
    incident: { guildId: server.guildId },
    executor: {
      platformId: here,
      rolesBefore: [moderator.id, crew.id],
      rolesTaken: [moderator.id],
    },
  });
  await service.db.insert(incidentExecutors).values([
    { incidentId: id, platformId: gone, username: 'stowaway', isBot: false, rolesTaken: ['8001'] },
    { incidentId: id, platformId: '883', username: 'a bot', isBot: true, rolesTaken: [] },
  ]);
  return { ...server, incidentId: id, path: `/api/v1/incidents/${id}` };
};

const rolesOf = async ({ guildId }: OwnedGuild, platformId: string): Promise<string[]> => {
  const { members } = await simulator.control('GET', `/guilds/${guildId}`);
  return members
    .find(({ user }: { user: { id: string } }) => user.id === platformId)
    ?.roles.toSorted();
};

const returnOf = async (incidentId: string, platformId: string) => {
  const isPerson = and(
    eq(incidentExecutors.incidentId, incidentId),
    eq(incidentExecutors.platformId, platformId),
  );
  const [row] = await service.db.select().from(incidentExecutors).where(isPerson);
  return row?.returnStatus;
};

const settled = (incidentId: string) =>
  eventually(20_000, async () => {
    const results = [await returnOf(incidentId, here), await returnOf(incidentId, gone)];
    expect(results).not.toContain('wanted');
    return results;
  });

const returnSteps = async (incidentId: string) => {
  const isReturn = and(
    eq(incidentSteps.incidentId, incidentId),
    eq(incidentSteps.kind, 'RETURN_ROLES'),
  );
  const steps = await service.db.select().from(incidentSteps).where(isReturn);
  return steps.map(({ status }) => status);
};

test('an incident tells who did what, what was lost, and how long it took', async () => {
  const { tenant, serverId, incidentId, path } = await attackedGuild();
  const { data } = (await tenant.call('GET', path)).body;
  expect(data).toMatchObject({
    ...{ id: incidentId, serverId, kind: 'NUKE', status: 'contained', objectsLost: 2 },
    ...{ detectedAfterMs: 1000, containedAfterMs: 1500, repairRestoreId: null, endedAt: null },
    backupId: null,
    acts: { total: 2, byKind: { channelDeletes: 2, roleDeletes: 0, bans: 0 } },
  });
  expect(Object.keys(data.acts.byKind)).toHaveLength(6);
  expect(data.executors[0]).toEqual({
    ...{ platformId: here, username: 'stowaway', isBot: false },
    ...{ stoppedAt: expect.any(String), notStopped: null, rolesTaken: [moderator.id] },
  });
  const listed = (await tenant.call('GET', `/api/v1/servers/${serverId}/incidents`)).body;
  expect(listed).toMatchObject({ data: [data], pagination: { total: 1 } });
});

test('who was stopped once and could not be stopped again counts as not stopped', async () => {
  const { tenant, incidentId, path } = await attackedGuild();
  await service.db
    .update(incidentExecutors)
    .set({ status: 'unstoppable', code: 'ROLE_TOO_HIGH' })
    .where(
      and(eq(incidentExecutors.incidentId, incidentId), eq(incidentExecutors.platformId, here)),
    );
  const { executors } = (await tenant.call('GET', path)).body.data;
  expect(executors[0]).toMatchObject({
    ...{ platformId: here, stoppedAt: null },
    notStopped: { code: 'ROLE_TOO_HIGH', detail: expect.stringContaining('drag the role') },
  });
});

test('roles are given back once, to those who are there', async () => {
  const server = await attackedGuild();
  const { tenant, incidentId, path } = server;
  expect((await decideAtOnce(service, tenant, incidentId, 'return-roles')).status).toBe(202);
  expect(await settled(incidentId)).toEqual(['returned', 'left']);
  expect(await rolesOf(server, here)).toEqual([moderator.id, crew.id]);
  expect(await returnSteps(incidentId)).toEqual(['done']);
  // The job tells of its end when everybody is settled.
  await eventually(20_000, async () => {
    const audit = (await tenant.call('GET', '/api/v1/audit')).body.data;
    const told = audit
      .slice(0, 2)
      .map(({ action, changes }: { action: string; changes: object }) => [action, changes]);
    expect(told).toEqual([
      ['incident.roles_returned', { serverId: server.serverId, returned: 1, left: 1, failed: 0 }],
      ['incident.return_roles', { serverId: server.serverId, people: 2 }],
    ]);
  });

  // Whoever takes the role away again is not overruled; the one who left is tried again.
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    roles: [moderator, crew],
    members: [
      { user: { id: here }, roles: [] },
      { user: { id: gone }, roles: [] },
    ],
  });
  expect((await decideAtOnce(service, tenant, incidentId, 'return-roles')).status).toBe(202);
  expect(await settled(incidentId)).toEqual(['returned', 'returned']);
  expect(await returnSteps(incidentId)).toEqual(['done', 'done']);
  expect([await rolesOf(server, here), await rolesOf(server, gone)]).toEqual([[], [moderator.id]]);
  expect((await tenant.call('POST', `${path}/return-roles`)).status).toBe(409);
});

test('what is taken from somebody a second time is given back a second time', async () => {
  const server = await attackedGuild({ members: [{ user: { id: here }, roles: [] }] });
  const { tenant, incidentId } = server;
  expect((await decideAtOnce(service, tenant, incidentId, 'return-roles')).status).toBe(202);
  expect(await settled(incidentId)).toEqual(['returned', 'left']);
  const owner = { accountId: tenant.accountId, incidentId };
  const again = { platformId: here, rolesBefore: [crew.id], rolesTaken: [crew.id] };
  await service.db.transaction((tx) => addExecutor(tx, owner, again));
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    roles: [moderator, crew],
    members: [{ user: { id: here }, roles: [] }],
  });

  expect((await decideAtOnce(service, tenant, incidentId, 'return-roles')).status).toBe(202);
  expect(await settled(incidentId)).toEqual(['returned', 'left']);
  // Not what was taken and given back before: somebody else may have taken it since.
  expect(await rolesOf(server, here)).toEqual([crew.id]);
});

test('a dismissed incident ends, gives the roles back, and cannot be dismissed again', async () => {
  const server = await attackedGuild();
  const { tenant, incidentId, path } = server;
  const { status, body } = await decideAtOnce(service, tenant, incidentId, 'dismiss');
  expect([status, body.data]).toMatchObject([
    202,
    { status: 'dismissed', endedAt: expect.any(String) },
  ]);
  expect(await settled(incidentId)).toEqual(['returned', 'left']);
  expect(await rolesOf(server, here)).toEqual([moderator.id, crew.id]);
  expect((await tenant.call('POST', `${path}/dismiss`)).status).toBe(409);
});

test('with its server an incident is gone, before the purge comes to it', async () => {
  const { tenant, serverId, incidentId, path } = await attackedGuild();
  const { call } = await openDashboard(service, tenant);
  const views = [`/incidents/${incidentId}/course`, `/incidents/${incidentId}/acts`];
  for (const view of views) expect((await call('GET', view)).status).toBe(200);
  expect((await tenant.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
  expect((await tenant.call('GET', path)).status).toBe(404);
  for (const decision of ['repair', 'return-roles', 'dismiss']) {
    const { status } = await tenant.call('POST', `${path}/${decision}`);
    expect([decision, status]).toEqual([decision, 404]);
  }
  for (const view of views) expect((await call('GET', view)).status).toBe(404);
});

test('nobody gets roles while the attack goes on, or of a guild that the server has left', async () => {
  const { tenant, serverId } = await fixture.newServer({ roles: [moderator] });
  const owner = { db: service.db, accountId: tenant.accountId };
  const open = await storeIncident(owner, serverId, { incident: { status: 'open' } });
  const path = `/api/v1/incidents/${open.id}/return-roles`;
  expect((await tenant.call('POST', path)).status).toBe(409);
  const elsewhere = await storeIncident(owner, serverId, { executor: { platformId: here } });
  await decideAtOnce(service, tenant, elsewhere.id, 'return-roles');
  await eventually(20_000, async () => expect(await returnOf(elsewhere.id, here)).toBe('failed'));
});

test('what cannot be stopped is told beforehand, with what to change', async () => {
  const limitsOf = async ({ tenant, serverId }: OwnedGuild) => {
    const { status, body } = await tenant.call('GET', `/api/v1/servers/${serverId}/protection`);
    expect(status).toBe(200);
    return body.data.cannotStop as { code: string; detail: string }[];
  };
  const codesOf = async (server: OwnedGuild) => (await limitsOf(server)).map(({ code }) => code);
  const able = await fixture.newServer({ roles: [moderator, crew] });
  expect(await codesOf(able)).toEqual(['NOT_CONNECTED', 'NO_GOOD_BACKUP', 'OWNER']);

  const weak = await fixture.newServer({
    roles: [crew, moderator],
    botAccess: { permissions: String((1 << 28) | (1 << 7)), rolePosition: 1 },
  });
  const limits = await limitsOf(weak);
  expect(limits.map(({ code }) => code)).toEqual([
    ...['NOT_CONNECTED', 'NO_GOOD_BACKUP'],
    ...['MISSING_PERMISSION', 'MISSING_PERMISSION', 'MISSING_PERMISSION'],
    ...['ROLE_TOO_HIGH', 'OWNER'],
  ]);
  const details = limits.map(({ detail }) => detail).join('\n');
  for (const named of ['KICK_MEMBERS', 'MANAGE_GUILD', 'BAN_MEMBERS', '“Moderator”']) {
    expect(details).toContain(named);
  }
  expect(details).not.toContain('“Crew”');

  const away = await fixture.newServer({ botAccess: { isMember: false } });
  expect(await codesOf(away)).toContain('NOT_IN_GUILD');
  const { call } = await openDashboard(service, able.tenant);
  const { customBotId } = (await call('GET', `/servers/${able.serverId}`)).body.data;
  expect((await call('PUT', `/bots/${customBotId}`, { isActive: false })).status).toBe(200);
  const off = await fixture.newServer({}, able.tenant);
  expect(await codesOf(off)).toContain('NOT_ASKED');
});
