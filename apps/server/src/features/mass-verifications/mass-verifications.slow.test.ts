import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  type MassFixture,
  startMassFixture,
  verified,
  veteran,
} from '../../../test/harness/mass-verifications.ts';
import { storeNewcomer, storeWave } from '../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';

let fixture: MassFixture;
beforeAll(async () => {
  fixture = await startMassFixture();
});
afterAll(() => fixture.stop());

const people = (count: number, person: object = {}) =>
  Array.from({ length: count }, () => ({ id: randomPlatformId(), ...person }));

const idsOf = (...all: { id: string }[][]): string[] =>
  all
    .flat()
    .map(({ id }) => id)
    .sort();

describe('a mass verification', () => {
  test('gives the verified role to everybody who lacks it, and says that nobody becomes pullable', async () => {
    const [lacking, having] = [people(3), people(2, { roles: [verified.id] })];
    const bots = people(1, { bot: true });
    const server = await fixture.newServer([...lacking, ...having, ...bots]);
    const asked = await fixture.ask(server);
    expect(asked.status).toBe(202);
    expect(asked.body.data).toMatchObject({
      ...{ serverId: server.serverId, status: 'queued', progress: 0, total: 0, processed: 0 },
      ...{ verifiedRoleId: verified.id, joinedBefore: null, roleId: null, pullable: false },
    });
    const job = await fixture.ended(server, asked.body.data.id);
    expect(job).toMatchObject({
      ...{ status: 'completed', progress: 100, total: 5, processed: 5, error: null },
      results: { given: 3, already: 2, failed: 0 },
    });
    expect(await fixture.holders(server)).toEqual(idsOf(lacking, having));
    expect((await fixture.gifts(server)).sort()).toEqual(idsOf(lacking));
    const { body } = await server.owner.call('GET', `/api/v1/servers/${server.serverId}/members`);
    expect(body.pagination.total).toBe(0);
    const kept = await fixture.db.$client`
      select after_id, attempted_id from mass_verifications where id = ${job.id}`;
    expect(kept).toEqual([{ after_id: null, attempted_id: null }]);
  });

  test('obeys its filter, the blacklist and a raid that waits for a decision', async () => {
    const old = { joinedAt: '2023-05-01T00:00:00.000Z', roles: [veteran.id] };
    const [wanted, blocked, held] = [people(2, old), people(1, old), people(1, old)];
    const late = people(1, { ...old, joinedAt: '2025-06-01T00:00:00.000Z' });
    const server = await fixture.newServer([
      ...wanted,
      ...[...blocked, ...held, ...late, ...people(2, { joinedAt: old.joinedAt })],
    ]);
    const { owner, serverId } = server;
    const body = { platformId: idsOf(blocked)[0] };
    await owner.call('POST', `/api/v1/servers/${serverId}/blacklist`, { body });
    const incidentId = await storeWave(owner, serverId);
    const newcomer = { platformId: idsOf(held)[0] ?? '', status: 'held' as const };
    await storeNewcomer(owner, { serverId, incidentId, ...newcomer });
    const filter = { joinedBefore: '2025-01-01T00:00:00.000Z', roleId: veteran.id };
    const job = await fixture.run(server, filter);
    expect(job).toMatchObject({ ...filter, status: 'completed', total: 2 });
    expect(job.results).toEqual({ given: 2, already: 0, failed: 0 });
    expect(await fixture.holders(server)).toEqual(idsOf(wanted));
  });

  test('walks a guild of thousands page by page', async () => {
    const having = people(2100, { roles: [verified.id] });
    const lacking = people(3);
    const server = await fixture.newServer([...having, ...lacking]);
    const job = await fixture.run(server);
    expect(job).toMatchObject({ status: 'completed', total: 2103 });
    expect(job.results).toEqual({ given: 3, already: 2100, failed: 0 });
    expect((await fixture.gifts(server)).sort()).toEqual(idsOf(lacking));
  });

  test('counts a refusal for one person, and not at all who left meanwhile', async () => {
    const server = await fixture.newServer(people(4));
    const answer = { when: 'before', action: 'status' };
    await fixture.disturb(server, { nth: 1, ...answer, status: 404, body: { code: 10007 } });
    await fixture.disturb(server, { nth: 2, ...answer, status: 400, body: { code: 50035 } });
    const job = await fixture.run(server);
    expect(job).toMatchObject({ status: 'completed', total: 3, processed: 3 });
    expect(job.results).toEqual({ given: 2, already: 0, failed: 1 });
  });

  test('is audited, and open pages are told of its progress', async () => {
    const server = await fixture.newServer(people(1));
    const { id } = await fixture.run(server);
    const { body } = await server.owner.call('GET', '/api/v1/audit?limit=2');
    expect(body.data).toMatchObject([
      { action: 'massVerification.end', subject: { id }, changes: { status: 'completed' } },
      { action: 'massVerification.create', subject: { id }, changes: { roleId: null } },
    ]);
    const topic = `massVerifications:${server.serverId}`;
    const told = fixture.service.changes.filter((change) => change.topic === topic);
    expect(told.length).toBeGreaterThanOrEqual(4);
  });
});

describe('it is refused', () => {
  test('with 409 where the server has no verified role', async () => {
    const server = await fixture.newServer();
    const path = `/api/v1/servers/${server.serverId}`;
    await server.owner.call('PUT', path, { body: { verifiedRoleId: null } });
    const { status, body } = await fixture.ask(server);
    expect(status).toBe(409);
    expect(body.error).toBe('The server has no verified role: choose one in its settings');
  });

  test('with 409 while another is active, also when ten are asked for at once', async () => {
    const server = await fixture.newServer(people(3));
    const slowness = await fixture.slowDown(1, 1500);
    const replies = await Promise.all(Array.from({ length: 10 }, () => fixture.ask(server)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    await slowness.end();
    const job = replies.find(({ status }) => status === 202)?.body.data;
    expect(await fixture.ended(server, job.id)).toMatchObject({ status: 'completed' });
    expect((await fixture.ask(server)).status).toBe(202);
  });

  test('to strangers, who can neither read nor cancel it', async () => {
    const server = await fixture.newServer(people(1));
    const job = await fixture.run(server);
    const stranger = await fixture.service.newTenant();
    const path = `/api/v1/mass-verifications/${job.id}`;
    expect((await stranger.call('GET', path)).status).toBe(404);
    expect((await stranger.call('POST', `${path}/cancel`)).status).toBe(404);
    expect((await server.owner.call('POST', `${path}/cancel`)).status).toBe(409);
  });
});

const botOf = (permissions: bigint, rolePosition: number | null = null) => ({
  botAccess: { permissions: permissions.toString(), rolePosition },
});
const manageRoles = 1n << 28n;

describe('it fails before the first call, with the reason,', () => {
  test.each([
    ['where the role stands above the bot', botOf(manageRoles, 1), 'stands above the bot'],
    ['where the bot may not give roles', botOf(1n), 'permission to manage roles'],
    [
      'where the role belongs to an integration',
      { roles: [{ ...verified, managed: true }] },
      'belongs to an integration',
    ],
    ['where the role is gone', { roles: [veteran] }, 'not in the server any more'],
  ])('%s', async (_, guild, reason) => {
    const server = await fixture.newServer(people(2), guild);
    const job = await fixture.run(server);
    expect(job).toMatchObject({ status: 'failed', total: 0, processed: 0 });
    expect(job.error).toContain(reason);
    expect(await fixture.gifts(server)).toEqual([]);
  });

  test('where the role of the filter is gone', async () => {
    const server = await fixture.newServer(people(2));
    const job = await fixture.run(server, { roleId: '7999' });
    expect(job).toMatchObject({
      ...{ status: 'failed', error: 'The role to filter by is not in the server' },
    });
  });

  test('where the bot may not list members', async () => {
    const server = await fixture.newServer(people(2));
    await fixture.simulator.control('PUT', `/bots/${server.clientId}`, { intents: [] });
    const job = await fixture.run(server);
    expect(job.status).toBe('failed');
    expect(job.error).toContain('Server Members intent');
  });
});

describe('while it is under way', () => {
  test('it is cancelled within seconds, and those who got the role keep it', async () => {
    const server = await fixture.newServer(people(6));
    const slowness = await fixture.slowDown(2, 3000);
    const jobId = await fixture.begin(server);
    await eventually(10_000, async () =>
      expect((await fixture.read(server, jobId)).processed).toBeGreaterThanOrEqual(2),
    );
    const path = `/api/v1/mass-verifications/${jobId}/cancel`;
    expect((await server.owner.call('POST', path)).status).toBe(200);
    const job = await fixture.ended(server, jobId);
    await slowness.end();
    expect(job.status).toBe('cancelled');
    expect(job.processed).toBeLessThan(6);
    expect(job.results.given).toBe((await fixture.holders(server)).length);
  });

  test('another verified role ends it', async () => {
    const server = await fixture.newServer(people(6));
    const slowness = await fixture.slowDown(1, 1500);
    const jobId = await fixture.begin(server);
    await eventually(10_000, async () =>
      expect((await fixture.read(server, jobId)).processed).toBeGreaterThanOrEqual(1),
    );
    const body = { verifiedRoleId: veteran.id };
    await server.owner.call('PUT', `/api/v1/servers/${server.serverId}`, { body });
    const job = await fixture.ended(server, jobId);
    await slowness.end();
    expect(job.status).toBe('failed');
    expect(job.error).toContain('was changed meanwhile');
  });

  test('a platform that fails for a moment delays it', async () => {
    const server = await fixture.newServer(people(2));
    const fault = { when: 'before', action: 'status', status: 502 };
    await fixture.disturb(server, { nth: 1, times: 4, ...fault });
    const job = await fixture.run(server);
    expect(job).toMatchObject({ status: 'completed', results: { given: 2, failed: 0 } });
  });
});
