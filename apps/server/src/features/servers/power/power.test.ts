import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { openDashboard, openWithFactor } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  noResults,
  type PulledMember,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';
import type { OwnTenant } from '../../../../test/harness/service.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture({ doesWork: ['pulls.run', 'mass-verifications.run'] });
});
afterAll(() => fixture.stop());

const administrator = 1n << 3n;
const kick = 1n << 1n;
const manageMessages = 1n << 13n;
const manageWebhooks = 1n << 29n;

const crew = { id: '7001', name: 'Crew', permissions: '0' };
const captain = { id: '7002', name: 'Captain', permissions: String(administrator) };
/** Harmless by itself, and moderates one channel. */
const lookout = { id: '7003', name: 'Lookout', permissions: '0' };
const deckWith = (allow: bigint) => ({
  ...{ id: '7101', name: 'deck' },
  permission_overwrites: [{ id: lookout.id, type: 0, allow: String(allow), deny: '0' }],
});
const guild = { roles: [crew, captain, lookout], channels: [deckWith(manageWebhooks)] };

const setGuild = (server: PullServer, changes: object) =>
  fixture.simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, ...changes });

type Member = { user: { id: string }; roles: string[] };

const rolesOf = async (
  { guildId }: PullServer,
  { platformId }: Pick<PulledMember, 'platformId'>,
) => {
  const { members }: { members: Member[] } = await fixture.simulator.control(
    'GET',
    `/guilds/${guildId}`,
  );
  return members.find(({ user }) => user.id === platformId)?.roles;
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
const fieldsOf = ({ body }: { body: any }): string[] =>
  Object.keys(body.details?.fieldErrors ?? body);

const alertsOf = async (owner: OwnTenant): Promise<string[]> => {
  const { data } = (await owner.call('GET', '/api/v1/alerts')).body;
  return data.map(({ title, detail }: { title: string; detail: string }) => `${title} ${detail}`);
};

const powerful: [string, string][] = [
  ['has a dangerous permission', captain.id],
  ['has power by an overwrite of a channel', lookout.id],
];

/** What makes the role of the crew give power. */
const gainsOfCrew: [string, object][] = [
  ['by itself', { roles: [{ ...crew, permissions: String(kick) }] }],
  [
    'by an overwrite',
    {
      channels: [
        {
          ...{ id: '7102', name: 'hold' },
          permission_overwrites: [
            { id: crew.id, type: 0, allow: String(manageMessages), deny: '0' },
          ],
        },
      ],
    },
  ],
];

describe('with an API key', () => {
  test.each(powerful)('no server gets a verified role that %s', async (_, verifiedRoleId) => {
    const server = await fixture.newServer(guild);
    const path = `/api/v1/servers/${server.serverId}`;
    const body = { verifiedRoleId, confirmRoleName: captain.name };
    const changed = await server.owner.call('PUT', path, { body });
    expect([changed.status, fieldsOf(changed)]).toEqual([400, ['verifiedRoleId']]);
    expect((await server.owner.call('GET', path)).body.data.verifiedRoleId).toBeNull();
    await server.owner.call('DELETE', path);
    const { guildId: platformGuildId, botId: customBotId } = server;
    const again = { platformGuildId, customBotId, name: 'Harbour', ...body };
    const created = await server.owner.call('POST', '/api/v1/servers', { body: again });
    expect([created.status, fieldsOf(created)]).toEqual([400, ['verifiedRoleId']]);
  });

  test.each(powerful)('no pull gives a role that %s', async (_, roleId) => {
    const server = await fixture.newServer(guild);
    await fixture.addMember(server);
    const asked = await fixture.ask(server, { roleId, confirmRoleName: 'Captain' });
    expect([asked.status, fieldsOf(asked)]).toEqual([400, ['roleId']]);
  });

  test.each(gainsOfCrew)('nobody is verified who would get power by it: %s', async (_, change) => {
    const server = await fixture.newServer(guild);
    const path = `/api/v1/servers/${server.serverId}`;
    const body = { verifiedRoleId: crew.id };
    expect((await server.owner.call('PUT', path, { body })).status).toBe(200);
    await setGuild(server, change);
    const asked = await server.owner.call('POST', `${path}/mass-verify`, { body: {} });
    expect([asked.status, fieldsOf(asked)]).toEqual([400, ['verifiedRoleId']]);
  });

  test('a harmless role is given as ever', async () => {
    const server = await fixture.newServer(guild);
    const member = await fixture.addMember(server);
    const pull = await fixture.pull(server, { roleId: crew.id });
    expect(pull.results).toEqual({ ...noResults, joined: 1 });
    expect(await rolesOf(server, member)).toEqual([crew.id]);
  });

  test('dangerous roles that a pull may give back are told to the owner, with the key', async () => {
    const server = await fixture.newServer(guild);
    await fixture.addMember(server);
    const { status } = await fixture.ask(server, { allowDangerousRoles: [captain.id] });
    expect(status).toBe(202);
    const [alert] = await alertsOf(server.owner);
    expect(alert).toMatch(/pull.*Captain|Captain.*pull/);
    expect(alert).toContain('API key');
  });
});

describe('in the dashboard', () => {
  const cases = [
    ['a server', 'PUT', (id: string) => `/servers/${id}`, { verifiedRoleId: captain.id }],
    ['a pull', 'POST', (id: string) => `/servers/${id}/pull`, { roleId: captain.id }],
  ] as const;

  test.each(cases)('%s gives no power without a second factor', async (_, method, path, body) => {
    const server = await fixture.newServer(guild);
    const browser = await openDashboard(fixture.service, server.owner);
    const named = { ...body, confirmRoleName: captain.name };
    const { status } = await browser.call(method, path(server.serverId), named);
    expect(status).toBe(403);
  });

  test.each(cases)(
    '%s asks for a fresh code before it gives power',
    async (_, method, path, body) => {
      const server = await fixture.newServer(guild);
      const browser = await openWithFactor(fixture.service, server.owner, { isStale: true });
      const named = { ...body, confirmRoleName: captain.name };
      const answer = await browser.call(method, path(server.serverId), named);
      expect([answer.status, answer.body.confirmationRequired]).toEqual([403, true]);
    },
  );

  test('a new server asks for a fresh code before it gives power', async () => {
    const server = await fixture.newServer(guild);
    const browser = await openWithFactor(fixture.service, server.owner, { isStale: true });
    await server.owner.call('DELETE', `/api/v1/servers/${server.serverId}`);
    const { guildId: platformGuildId, botId: customBotId } = server;
    const role = { verifiedRoleId: captain.id, confirmRoleName: captain.name };
    const body = { platformGuildId, customBotId, name: 'Harbour', ...role };
    const answer = await browser.call('POST', '/servers', body);
    expect([answer.status, answer.body.confirmationRequired]).toEqual([403, true]);
  });

  test.each(cases)('%s asks for the name of a powerful role', async (_, method, path, body) => {
    const server = await fixture.newServer(guild);
    const browser = await openWithFactor(fixture.service, server.owner);
    for (const confirmRoleName of [undefined, 'Crew', '']) {
      const answer = await browser.call(method, path(server.serverId), {
        ...body,
        confirmRoleName,
      });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['confirmRoleName']]);
    }
  });

  test('a pull gives the role that a person confirmed, which is audited and told', async () => {
    const server = await fixture.newServer(guild);
    const member = await fixture.addMember(server);
    const browser = await openWithFactor(fixture.service, server.owner);
    const body = { roleId: captain.id, confirmRoleName: ' Captain ' };
    const asked = await browser.call('POST', `/servers/${server.serverId}/pull`, body);
    expect(asked.status).toBe(202);
    await fixture.ended(server, asked.body.data.id);
    expect(await rolesOf(server, member)).toEqual([captain.id]);
    const created = (await auditOf(server.owner)).data.find(
      ({ action }: { action: string }) => action === 'pull.create',
    );
    expect(created.changes).toMatchObject({ confirmedPermissions: ['ADMINISTRATOR'] });
    const alerts = await alertsOf(server.owner);
    expect(alerts.filter((alert) => alert.includes('Captain'))).toHaveLength(1);
  });

  test('members who are there get the verified role that a person confirmed', async () => {
    const server = await fixture.newServer(guild);
    const browser = await openWithFactor(fixture.service, server.owner);
    const path = `/servers/${server.serverId}`;
    const members = [{ user: { id: '501' }, roles: [] }];
    await setGuild(server, { members });
    const role = { verifiedRoleId: captain.id, confirmRoleName: captain.name };
    expect((await browser.call('PUT', path, role)).status).toBe(200);
    const without = await browser.call('POST', `${path}/mass-verify`, {});
    expect([without.status, fieldsOf(without)]).toEqual([400, ['confirmRoleName']]);
    const body = { confirmRoleName: captain.name };
    const asked = await browser.call('POST', `${path}/mass-verify`, body);
    expect(asked.status).toBe(202);
    await eventually(20_000, async () =>
      expect(await rolesOf(server, { platformId: '501' })).toEqual([captain.id]),
    );
  });
});

describe('a role that becomes dangerous meanwhile', () => {
  test.each(gainsOfCrew)(
    '%s is given to nobody by a pull, which says so, once',
    async (_, change) => {
      const server = await fixture.newServer(guild);
      const people = await fixture.addMembers(server, 6);
      const slow = await fixture.slowDown(1, 700);
      const pullId = await fixture.begin(server, { roleId: crew.id });
      await eventually(10_000, async () =>
        expect((await fixture.additions(server)).length).toBeGreaterThan(0),
      );
      await setGuild(server, change);
      const pull = await fixture.ended(server, pullId);
      await slow.end();
      expect(pull.results).toEqual({ ...noResults, joined: 6 });
      const held = await Promise.all(people.map((person) => rolesOf(server, person)));
      expect(held.at(-1)).toEqual([]);
      expect(pull.warnings.join(' ')).toContain('Crew');
      const alerts = await alertsOf(server.owner);
      expect(alerts.filter((alert) => alert.includes('Crew'))).toHaveLength(1);
    },
  );

  test.each(gainsOfCrew)('%s ends a mass verification, which says why', async (_, change) => {
    const server = await fixture.newServer(guild);
    const members = [501, 502].map((id) => ({ user: { id: String(id) }, roles: [] }));
    await setGuild(server, { members });
    const path = `/api/v1/servers/${server.serverId}`;
    await server.owner.call('PUT', path, { body: { verifiedRoleId: crew.id } });
    const match = { method: 'GET', route: '/guilds/:id/members', guildId: server.guildId };
    await fixture.simulator.control('POST', '/faults', {
      ...{ match, when: 'before', action: 'delay', ms: 3000, times: 1 },
    });
    const asked = await server.owner.call('POST', `${path}/mass-verify`, { body: {} });
    expect(asked.status).toBe(202);
    await eventually(10_000, async () => {
      const log = await fixture.log();
      const isListed = ({ route, path: of }: { route: string | null; path: string }) =>
        route === '/guilds/:id/members' && of.includes(server.guildId);
      expect(log.some(isListed)).toBe(true);
    });
    await setGuild(server, { members, ...change });
    const job = await eventually(30_000, async () => {
      const read = await server.owner.call(
        'GET',
        `/api/v1/mass-verifications/${asked.body.data.id}`,
      );
      expect(read.body.data.status).toBeOneOf(['completed', 'failed']);
      return read.body.data;
    });
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('Crew') });
    for (const { user } of members) {
      expect(await rolesOf(server, { platformId: user.id })).toEqual([]);
    }
    const alerts = await alertsOf(server.owner);
    expect(alerts.filter((alert) => alert.includes('Crew'))).toHaveLength(1);
  });
});
