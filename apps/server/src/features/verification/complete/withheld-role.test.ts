import { afterAll, beforeAll, expect, test } from 'bun:test';
import { TOTP } from 'otpauth';
import { createBot } from '../../../../test/harness/bots-and-servers.ts';
import { openDashboard, openWithFactor } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import {
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../../test/harness/verification/newcomer.ts';
import { resumeWithheldRolesJob } from '../jobs.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture();
});
afterAll(() => fixture.stop());

const kick = 1n << 1n;
const manageMessages = 1n << 13n;
const administrator = 1n << 3n;

/** The state of a guild is set as a whole, with who is in it; its own bot comes back above all roles. */
const setRole = (
  { guildId, roleId }: VerificationServer,
  permissions: bigint,
  { people, channels }: { people: string[]; channels?: object[] | undefined },
) =>
  fixture.simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [{ id: roleId, name: 'Verified', permissions: String(permissions) }],
    members: people.map((id) => ({ user: { id } })),
    ...(channels && { channels }),
  });

const holds = async ({ guildId, roleId }: VerificationServer, platformId: string) => {
  const { members } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  type Member = { user: { id: string }; roles: string[] };
  const found = members.find(({ user }: Member) => user.id === platformId);
  return found?.roles.includes(roleId) ?? false;
};

const stateOf = async ({ id }: VerificationServer, platformId: string) => {
  const [row] = await fixture.db.$client`select status, error from role_assignments
    where server_id = ${id} and platform_id = ${platformId}`;
  return row && [row.status, row.error];
};

const untilWithheld = (server: VerificationServer, platformId: string) =>
  eventually(10_000, async () =>
    expect(await stateOf(server, platformId)).toEqual(['waiting', 'roleWithheld']),
  );

const alertsOf = async ({ owner }: VerificationServer): Promise<string[]> =>
  (await owner.call('GET', '/api/v1/alerts')).body.data.map(
    ({ title }: { title: string }) => title,
  );

/** As every minute. */
const resume = () => resumeWithheldRolesJob(fixture.jobTools).run({}, new AbortController().signal);

const verify = async (server: VerificationServer, platformId: string) => {
  const page = await walkIn(fixture.newBrowser(), server, platformId);
  expect(page.status).toBe(200);
};

test.each<[string, bigint, ((server: VerificationServer) => object[]) | undefined]>([
  ['has a dangerous permission', kick, undefined],
  [
    'has power by an overwrite of a channel',
    0n,
    ({ roleId }) => [
      {
        ...{ id: randomPlatformId(), name: 'deck' },
        permission_overwrites: [{ id: roleId, type: 0, allow: String(manageMessages), deny: '0' }],
      },
    ],
  ],
])(
  'nobody who verifies gets a role that %s by now; they get it when it is harmless',
  async (_, permissions, channels) => {
    const people = [randomPlatformId(), randomPlatformId(), randomPlatformId()];
    const server = await newVerificationServer(fixture, {}, people);
    await setRole(server, permissions, { people, channels: channels?.(server) });
    for (const person of people) await verify(server, person);
    for (const person of people) await untilWithheld(server, person);
    await resume();
    expect(await Promise.all(people.map((one) => holds(server, one)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(await alertsOf(server)).toEqual([expect.stringContaining('given to nobody')]);
    await setRole(server, 0n, { people, channels: [] });
    await eventually(20_000, async () => {
      await resume();
      expect(await Promise.all(people.map((one) => holds(server, one)))).toEqual([
        true,
        true,
        true,
      ]);
    });
    expect(await alertsOf(server)).toHaveLength(1);
  },
);

test('a person in the dashboard confirms the role, and those who wait get it; more power is withheld again', async () => {
  const first = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [first]);
  await setRole(server, kick, { people: [first] });
  await verify(server, first);
  await untilWithheld(server, first);
  const path = `/servers/${server.id}`;
  const body = { verifiedRoleId: server.roleId, confirmRoleName: 'Verified' };
  expect((await server.owner.call('PUT', `/api/v1${path}`, { body })).status).toBe(400);
  const { call } = await openDashboard(fixture.service, server.owner);
  expect((await call('PUT', path, body)).status).toBe(403);
  const { secret } = (await call('POST', '/second-factor')).body.data;
  const code = new TOTP({ secret }).generate();
  const { recoveryCodes } = (await call('PUT', '/second-factor', { code })).body.data;
  await call('POST', '/confirmation', { code: recoveryCodes[0] });
  expect((await call('PUT', path, body)).status).toBe(200);
  await eventually(20_000, async () => {
    await resume();
    expect(await holds(server, first)).toBe(true);
  });
  await eventually(20_000, async () => {
    // Many are given by one reading of the guild, which is a moment old.
    const newcomer = randomPlatformId();
    await setRole(server, kick | administrator, { people: [newcomer] });
    await verify(server, newcomer);
    await eventually(5000, async () =>
      expect(await stateOf(server, newcomer)).toEqual(['waiting', 'roleWithheld']),
    );
  });
});

const confirmed = { name: 'Verified', permissions: String(administrator) };
const plain = { id: '7300000000000000001', name: 'Plain', permissions: '0' };

test.each<[string, (server: VerificationServer) => Promise<object>]>([
  [
    'goes back to it after another',
    async ({ owner, id, roleId }) => {
      const path = `/api/v1/servers/${id}`;
      const body = { verifiedRoleId: plain.id };
      expect((await owner.call('PUT', path, { body })).status).toBe(200);
      return { verifiedRoleId: roleId };
    },
  ],
  ['has another bot give it', async ({ owner }) => ({ customBotId: await createBot(owner) })],
])(
  'what a person confirmed holds until the server %s: a key brings back no power, not even unseen',
  async (_, change) => {
    const person = randomPlatformId();
    const server = await newVerificationServer(fixture, {}, [person]);
    await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
      roles: [{ ...confirmed, id: server.roleId }, plain],
      members: [{ user: { id: person } }],
    });
    const { call } = await openWithFactor(fixture.service, server.owner);
    const chosen = { verifiedRoleId: server.roleId, confirmRoleName: confirmed.name };
    expect((await call('PUT', `/servers/${server.id}`, chosen)).status).toBe(200);
    const body = await change(server);
    // Longer than the request waits for it.
    await fixture.simulator.control('POST', '/faults', {
      match: { method: 'GET', route: '/guilds/:id/channels', guildId: server.guildId },
      ...{ when: 'before', action: 'delay', ms: 4000, times: 1 },
    });
    const changed = await server.owner.call('PUT', `/api/v1/servers/${server.id}`, { body });
    await fixture.simulator.control('DELETE', '/faults');
    expect(changed.status).toBe(200);
    await verify(server, person);
    await untilWithheld(server, person);
    expect(await holds(server, person)).toBe(false);
  },
);

test('many who verify at once get their role by one reading of the guild', async () => {
  const people = Array.from({ length: 8 }, randomPlatformId);
  const server = await newVerificationServer(fixture, {}, people);
  await setRole(server, 0n, { people });
  await fixture.simulator.control('DELETE', '/log');
  const startedAt = performance.now();
  await Promise.all(people.map((person) => verify(server, person)));
  await eventually(20_000, async () => {
    for (const person of people) expect(await holds(server, person)).toBe(true);
  });
  const elapsedMs = performance.now() - startedAt;
  const log: { route: string | null; guildId: string | null }[] = await fixture.simulator.control(
    'GET',
    '/log',
  );
  const reads = log.filter(
    ({ route, guildId }) => route === '/guilds/:id/channels' && guildId === server.guildId,
  );
  // Each lasts for two seconds.
  expect(reads.length).toBeLessThanOrEqual(1 + elapsedMs / 2000);
});

test('a role that becomes dangerous while the guild is being read, which takes long, is given to nobody', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  await setRole(server, 0n, { people: [person] });
  await fixture.simulator.control('DELETE', '/log');
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/channels', guildId: server.guildId },
    ...{ when: 'before', action: 'delay', ms: 4000, times: 1 },
  });
  await verify(server, person);
  await eventually(3000, async () => {
    type Call = { route: string | null; guildId: string | null; status: number | null };
    const log: Call[] = await fixture.simulator.control('GET', '/log');
    const reads = log.filter(
      ({ route, guildId }) => route === '/guilds/:id' && guildId === server.guildId,
    );
    expect(reads.map(({ status }) => status)).toEqual([200]);
  });
  await setRole(server, administrator, { people: [person] });
  await untilWithheld(server, person);
  expect(await holds(server, person)).toBe(false);
});

test('while the guild cannot be read nobody gets the role, and all get it afterwards', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  await fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/channels', guildId: server.guildId },
    ...{ when: 'before', action: 'status', status: 500, times: 5 },
  });
  await verify(server, person);
  await eventually(10_000, async () =>
    expect(await stateOf(server, person)).toEqual(['waiting', 'platformSilent']),
  );
  expect(await holds(server, person)).toBe(false);
  await eventually(30_000, async () => expect(await holds(server, person)).toBe(true));
});

test('who verifies right after the bot came back waits for the role, and gets it when the guild is asked again', async () => {
  const [early, late] = [randomPlatformId(), randomPlatformId()];
  const server = await newVerificationServer(fixture, {}, [early, late]);
  const setAccess = (isMember: boolean) =>
    fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
      botAccess: { isMember },
      roles: [{ id: server.roleId, name: 'Verified' }],
      members: [early, late].map((id) => ({ user: { id } })),
    });
  await setAccess(false);
  await verify(server, early);
  await eventually(10_000, async () =>
    expect(await stateOf(server, early)).toEqual(['failed', 'failed']),
  );
  await setAccess(true);
  await verify(server, late);
  await eventually(10_000, async () =>
    expect(await stateOf(server, late)).toEqual(['waiting', 'platformSilent']),
  );
  // As after two minutes.
  await fixture.db.$client`update refused_guilds set at = at - interval '2 minutes'
    where guild_id = ${server.guildId}`;
  await eventually(20_000, async () => expect(await holds(server, late)).toBe(true));
});
