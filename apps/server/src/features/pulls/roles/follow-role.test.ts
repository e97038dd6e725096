import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { createBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import {
  noResults,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';

let fixture: PullFixture;
let backups: ReturnType<typeof createBackupFixture>;
beforeAll(async () => {
  fixture = await startPullFixture();
  backups = createBackupFixture(fixture.service, fixture.simulator);
});
afterAll(() => fixture.stop());

const guest = { id: '7001', name: 'Guest', permissions: '0' };
const crew = { id: '7002', name: 'Crew', permissions: '0' };

type Held = { user: { id: string }; roles: string[] };
type Call = { method: string; route: string | null; path: string; reason: string | null };

const readGuild = ({ guildId }: PullServer) =>
  fixture.simulator.control('GET', `/guilds/${guildId}`);

const writesTo = async ({ guildId }: PullServer): Promise<Call[]> =>
  (await fixture.simulator.control('GET', '/log')).filter(
    ({ method, path }: Call) => method !== 'GET' && path.includes(guildId),
  );

test('the role that a stopped pull gives is the one that a restore made in its place', async () => {
  const server = await fixture.newServer({ roles: [guest], channels: [] });
  const owned = { ...server, tenant: server.owner };
  const backup = await backups.takeBackup(owned);
  await fixture.addMembers(server, 2);
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, { roles: [], channels: [] });
  const stopped = await fixture.pull(server, { roleId: guest.id });
  expect(stopped).toMatchObject({ status: 'failed', processed: 0, roleId: guest.id });

  expect((await backups.restore(owned, backup.id)).status).toBe('completed');
  const made = (await readGuild(server)).roles.find(({ name }: typeof guest) => name === 'Guest');
  expect(made.id).not.toBe(guest.id);
  const reply = await server.owner.call('POST', `/api/v1/pulls/${stopped.id}/resume`);
  expect(reply.status).toBe(202);
  const pull = await fixture.ended(server, stopped.id);
  expect(pull).toMatchObject({ status: 'completed', error: null, roleId: made.id });
  expect(pull.results).toEqual({ ...noResults, joined: 2 });
  const held = (await readGuild(server)).members.filter(({ roles }: Held) =>
    roles.includes(made.id),
  );
  expect(held).toHaveLength(2);
  const entries: { action: string }[] = (await auditOf(server.owner)).data;
  expect(entries.filter(({ action }) => action === 'pull.update')).toEqual([
    expect.objectContaining({
      actor: { type: 'SYSTEM', id: null },
      changes: { roleId: { from: guest.id, to: made.id } },
    }),
  ]);
});

test("every call by which a pull changes a server says in the guild's audit log which pull it is", async () => {
  const server = await fixture.newServer();
  const people = await fixture.addNamed(server, 'newcomer', 'there', 'saved');
  const member = (id: string, roles: string[]) => ({ user: { id }, roles });
  const state = { roles: [guest, crew], channels: [] };
  const put = (members: object[]) =>
    fixture.simulator.control('PUT', `/guilds/${server.guildId}`, { ...state, members });
  await put([member(people.saved.platformId, [crew.id])]);
  await backups.takeBackup({ ...server, tenant: server.owner });
  await put([member(people.there.platformId, []), member(people.saved.platformId, [])]);
  await fixture.simulator.control('DELETE', '/log');

  const pull = await fixture.pull(server, { roleId: guest.id });
  expect(pull.results).toEqual({ ...noResults, joined: 1, alreadyMember: 2 });
  const writes = await writesTo(server);
  expect(writes.map(({ method, route }) => `${method} ${route}`).toSorted()).toEqual([
    'PATCH /guilds/:id/members/:id',
    'PUT /guilds/:id/members/:id',
    'PUT /guilds/:id/members/:id',
    'PUT /guilds/:id/members/:id',
    'PUT /guilds/:id/members/:id/roles/:id',
  ]);
  expect(new Set(writes.map(({ reason }) => reason))).toEqual(
    new Set([`Holdfast pull ${pull.id}`]),
  );
});
