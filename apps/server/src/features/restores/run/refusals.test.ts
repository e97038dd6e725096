import { expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

const { simulator, fixture } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run'],
});

type Named = { id: string; name: string };

/** A guild that has lost its name, its role, its channel, its ban and its member's roles since. */
const damagedServer = async () => {
  const [crewId, deckId, banned, person] = Array.from({ length: 4 }, randomPlatformId);
  const whole = {
    guild: { name: 'Harbour', description: 'Boats' },
    roles: [{ id: crewId, name: 'Crew', permissions: '0' }],
    channels: [{ id: deckId, name: 'deck' }],
    bans: [{ user: { id: banned }, reason: 'spam' }],
    members: [{ user: { id: person }, roles: [crewId] }],
  };
  const server = await fixture.newServer(whole);
  const backup = await fixture.takeBackup(server);
  expect(backup).toMatchObject({ status: 'completed', warnings: [] });
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    guild: { name: 'Wreck', description: 'Sunk' },
    channels: [{ id: randomPlatformId(), name: 'raid' }],
    members: [{ user: { id: person }, roles: [] }],
  });
  return { server, backup, person: person ?? '' };
};

type Refusal = { method: string; route: string; status: number; body: object; nth?: number };

const refuse = ({ guildId }: OwnedGuild, { method, route, ...answer }: Refusal) =>
  simulator.control('POST', '/faults', {
    match: { method, route, guildId },
    ...{ times: 1000, action: 'status', ...answer },
  });

const stateOf = async ({ guildId }: OwnedGuild) => {
  const { guild, roles, channels, bans, members } = await simulator.control(
    'GET',
    `/guilds/${guildId}`,
  );
  const crew = roles.find(({ name }: Named) => name === 'Crew');
  return {
    name: guild.name,
    description: guild.description,
    hasRole: crew !== undefined,
    channels: channels.map(({ name }: Named) => name).toSorted(),
    bans: bans.length,
    holders: members.filter(({ roles: held }: { roles: string[] }) => held.includes(crew?.id))
      .length,
  };
};

const restored = {
  ...{ name: 'Harbour', description: 'Boats', hasRole: true, channels: ['deck'] },
  ...{ bans: 1, holders: 1 },
};

test('without a refusal everything comes back', async () => {
  const { server, backup } = await damagedServer();
  const done = await fixture.restore(server, backup.id);
  expect(done).toMatchObject({ status: 'completed', warnings: [] });
  expect(await stateOf(server)).toEqual(restored);
});

test('a demand for two-factor authentication is told with what to do, and the rest is done', async () => {
  const { server, backup } = await damagedServer();
  await refuse(server, {
    ...{ method: 'DELETE', route: '/channels/:id', status: 403 },
    body: { code: 60003, message: 'Two factor is required for this operation' },
  });
  const done = await fixture.restore(server, backup.id);
  expect(done).toMatchObject({ status: 'partial', error: null });
  expect(done.warnings).toEqual([
    expect.stringMatching(/^channel raid: .*two-factor authentication.*bot's application/),
  ]);
  expect(await stateOf(server)).toEqual({ ...restored, channels: ['deck', 'raid'] });
});

test.each([
  ['that were read too often', { status: 400, body: { code: 30037, message: 'Max' } }],
  ['that the bot may not see', { status: 403, body: { code: 50013, message: 'Missing' } }],
])('bans %s stay as they are, with a warning, and the rest is done', async (_, answer) => {
  const { server, backup } = await damagedServer();
  await refuse(server, { method: 'GET', route: '/guilds/:id/bans', ...answer });
  const done = await fixture.restore(server, backup.id);
  expect(done).toMatchObject({ status: 'partial', error: null });
  expect(done.warnings).toEqual([expect.stringMatching(/^ban all: /)]);
  expect(await stateOf(server)).toEqual({ ...restored, bans: 0 });
});

test('members that the bot may not list keep their roles, with the switch that is missing', async () => {
  const { server, backup } = await damagedServer();
  await refuse(server, {
    ...{ method: 'GET', route: '/guilds/:id/members', status: 403 },
    body: { code: 50001, message: 'Missing Access' },
  });
  const done = await fixture.restore(server, backup.id);
  expect(done).toMatchObject({ status: 'partial', error: null });
  expect(done.warnings).toEqual([
    expect.stringMatching(/^member roles and nicknames: .*Server Members/),
  ]);
  expect(await stateOf(server)).toEqual({ ...restored, holders: 0 });
});

test('a role that is gone when a member is to get it is a failure with its code, not a success', async () => {
  const { server, backup, person } = await damagedServer();
  await refuse(server, {
    ...{ method: 'PATCH', route: '/guilds/:id/members/:id', status: 404 },
    body: { code: 10011, message: 'Unknown Role' },
  });
  const done = await fixture.restore(server, backup.id);
  expect(done).toMatchObject({ status: 'partial', error: null });
  expect(done.steps.failed).toBe(1);
  expect(done.warnings).toEqual([expect.stringMatching(/^member .*Unknown Role.*\(code 10011\)/)]);
  expect(done.warnings[0]).toContain(person);
  expect(await stateOf(server)).toEqual({ ...restored, holders: 0 });
});

test('a setting that is refused is named in the platform’s words, and the others are set', async () => {
  const { server, backup } = await damagedServer();
  const errors = { description: { _errors: [{ code: 'BASE', message: 'Not so' }] } };
  await simulator.control('POST', '/faults', {
    match: { method: 'PATCH', route: '/guilds/:id', guildId: server.guildId },
    ...{ action: 'status', status: 400 },
    body: { code: 50035, message: 'Invalid Form Body', errors },
  });
  const done = await fixture.restore(server, backup.id);
  expect(done).toMatchObject({ status: 'partial', error: null });
  expect(done.warnings).toEqual([
    expect.stringMatching(/^settings .*description stays as it is.*Not so.*\(code 50035\)/),
  ]);
  expect(await stateOf(server)).toEqual({ ...restored, description: 'Sunk' });
});
