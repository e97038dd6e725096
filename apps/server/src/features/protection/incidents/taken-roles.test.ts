import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { backupDependencies } from '../../../../test/harness/backups/run-backup.ts';
import { openWithFactor } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { addPullable } from '../../../../test/harness/pulls/add-pullable.ts';
import { giveVerifiedRole } from '../../verification/complete/assign-role.ts';
import { roleAssignments } from '../../verification/table.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: [
      ...['protection.contain', 'protection.look-at-guild', 'protection.return-roles'],
      ...['backups.run', 'restores.run', 'pulls.run', 'mass-verifications.run'],
    ],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const backups = () => createBackupFixture(fixture.service, fixture.simulator);

/** A backup, then an attack by somebody who has a role with power in it and is stopped. */
const attacked = async (between = async (_: ProtectedGuild) => {}) => {
  const guild = await newProtectedGuild(fixture);
  const attacker = await guild.join([guild.guard, guild.mod, guild.pink]);
  await guild.known();
  await guild.settled();
  const backup = await backups().takeBackup({ ...guild, tenant: guild.owner });
  await between(guild);
  for (const id of guild.channelIds.slice(0, 6)) await guild.deleteChannel(attacker, id);
  await guild.contained();
  expect(await guild.rolesOf(attacker)).toEqual([guild.pink]);
  return { guild, attacker, backupId: String(backup.id) };
};

test('nobody who was stopped gets by a restore a role that gets its power by the same restore', async () => {
  const { guild, attacker, backupId } = await attacked(async ({ now, guildId, guard }) => {
    const { roles, members, ...state } = await now();
    const tame = (role: { id: string }) =>
      role.id === guard ? { ...role, permissions: '0' } : role;
    const strip = (one: { roles: string[] }) => ({
      ...one,
      roles: one.roles.filter((id) => id !== guard),
    });
    const after = { ...state, roles: roles.map(tame), members: members.map(strip) };
    await fixture.simulator.control('PUT', `/guilds/${guildId}`, after);
  });
  const browser = await openWithFactor(fixture.service, guild.owner);
  const body = { mode: 'REPAIR', components: ['roles', 'memberRoles'] };
  const asked = await browser.call('POST', pathOf(guild, backupId), body);
  await backups().restored({ tenant: guild.owner }, asked.body.data.id);
  const { roles } = await guild.now();
  expect(roles).toContainEqual(expect.objectContaining({ id: guild.guard, permissions: '4' }));
  expect(await guild.rolesOf(attacker)).toEqual([guild.pink]);
});

const memberRoles = { mode: 'REPAIR', components: ['memberRoles'] };
const pathOf = ({ serverId }: ProtectedGuild, backupId: string) =>
  `/servers/${serverId}/backups/${backupId}/restore`;

test('nobody who was stopped gets back by a restore what was taken, whoever asks, until it is given back', async () => {
  const { guild, attacker, backupId } = await attacked();
  const honest = await guild.join([guild.pink]);
  const browser = await openWithFactor(fixture.service, guild.owner);
  const key = await fixture.service.newKey(guild.owner, ['backups:restore']);
  const restore = async (asked: { status: number; body: { data: { id: string } } }) => {
    expect(asked.status).toBe(202);
    return backups().restored({ tenant: guild.owner }, asked.body.data.id);
  };
  const byKey = () => key.call('POST', `/api/v1${pathOf(guild, backupId)}`, { body: memberRoles });
  const byPerson = () => browser.call('POST', pathOf(guild, backupId), memberRoles);
  for (const ask of [byKey, byPerson]) {
    const { status, warnings } = await restore(await ask());
    expect(await guild.rolesOf(attacker)).toEqual([guild.pink]);
    expect(status).toBe('partial');
    expect(warnings).toEqual([expect.stringMatching(/^member .*not given Guard, Mod: .*incident/)]);
  }
  const [incident] = await guild.incidents();
  const returned = await browser.call('POST', `/incidents/${incident.id}/return-roles`);
  expect(returned.status).toBe(202);
  await eventually(20_000, async () => expect(await guild.rolesOf(attacker)).toContain(guild.mod));
  expect(await restore(await byKey())).toMatchObject({ status: 'completed', warnings: [] });
  expect(await guild.rolesOf(attacker)).toContain(guild.mod);
  expect(await guild.rolesOf(honest)).toEqual([guild.pink]);
});

test('nobody who was stopped gets power by verification, pull or mass verification', async () => {
  const { guild, attacker } = await attacked();
  const { owner, serverId } = guild;
  const honest = await guild.join([guild.pink]);
  const browser = await openWithFactor(fixture.service, owner);
  const role = { verifiedRoleId: guild.guard, confirmRoleName: 'Guard' };
  expect((await browser.call('PUT', `/servers/${serverId}`, role)).status).toBe(200);

  const memberIds = [];
  for (const platformId of [attacker, honest]) {
    const memberId = await addPullable(fixture, guild, platformId);
    const person = { memberId, accountId: owner.accountId };
    const { service, simulator } = fixture;
    await service.db.insert(roleAssignments).values({ ...person, serverId, platformId });
    const tools = { ...service, ...backupDependencies(service, simulator.apiUrl) };
    await giveVerifiedRole(tools, person);
    memberIds.push(memberId);
  }
  expect(await guild.rolesOf(honest)).toEqual([guild.pink, guild.guard]);
  expect(await guild.rolesOf(attacker)).toEqual([guild.pink]);

  const chief = { roleId: guild.chief, confirmRoleName: 'Chief' };
  const pull = await browser.call('POST', `/servers/${serverId}/pull`, { memberIds, ...chief });
  expect(pull.status).toBe(202);
  await ended(guild, `pulls/${pull.body.data.id}`);
  expect(await guild.rolesOf(honest)).toContain(guild.chief);
  expect(await guild.rolesOf(attacker)).toEqual([guild.pink]);

  const verified = { roleId: guild.pink, confirmRoleName: 'Guard' };
  const later = await guild.join([guild.pink]);
  const asked = await browser.call('POST', `/servers/${serverId}/mass-verify`, verified);
  expect(asked.status).toBe(202);
  await ended(guild, `mass-verifications/${asked.body.data.id}`);
  expect(await guild.rolesOf(later)).toContain(guild.guard);
  expect(await guild.rolesOf(attacker)).toEqual([guild.pink]);
});

const ended = ({ owner }: ProtectedGuild, job: string) =>
  eventually(30_000, async () => {
    const { status } = (await owner.call('GET', `/api/v1/${job}`)).body.data;
    expect(status).toBe('completed');
  });
