import { expect, test } from 'bun:test';
import { and, eq, sql } from 'drizzle-orm';
import { createAttacks } from '../../../../../test/harness/attacks/attacked-server.ts';
import {
  type OwnedGuild,
  startBackupFixture,
} from '../../../../../test/harness/backups/fixture.ts';
import { storeAct, storeIncident } from '../../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../../test/harness/service.ts';
import { tidyUpJob } from '../../jobs.ts';
import { guildActs, incidents } from '../../table.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run', 'restores.repair'],
});

const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);

type Named = { id: string; name: string };
const find = (things: Named[], name: string) => things.find((one) => one.name === name);

test('exactly what the executors did is undone, while honest changes stay', async () => {
  const server = await fixture.newServer();
  const { tenant, guildId } = server;
  const before = await guildOf(server);
  await fixture.takeBackup(server);
  const [attacker, honest] = [newPerson(), newPerson()];
  const [category, first, second] = [
    before.channels.find(({ type }: { type: number }) => type === 4),
    // A community cannot lose two of its channels.
    ...before.channels.filter(
      ({ type, id }: { type: number; id: string }) =>
        type === 0 && !JSON.stringify(before.guild).includes(`_channel_id":"${id}"`),
    ),
  ];
  const role = before.roles.find(
    (one: { id: string; managed: boolean }) => one.id !== guildId && !one.managed,
  );
  const emoji = before.emojis[0];
  await honest.call('PATCH', `/channels/${first.id}`, { topic: 'Set before the attack' });
  const late = await honest.call('POST', `/guilds/${guildId}/channels`, {
    name: 'late',
    topic: 'After the backup',
  });
  await attacker.call('PATCH', `/channels/${first.id}`, { name: 'pwned' });
  for (const { id } of [first, category, late]) await attacker.call('DELETE', `/channels/${id}`);
  await attacker.call('PATCH', `/channels/${second.id}`, { name: 'pwned-too', topic: 'pwned' });
  await attacker.call('DELETE', `/guilds/${guildId}/roles/${role.id}`);
  if (emoji) await attacker.call('DELETE', `/guilds/${guildId}/emojis/${emoji.id}`);
  const spam = await attacker.call('POST', `/guilds/${guildId}/channels`, { name: first.name });
  await attacker.call('PATCH', `/guilds/${guildId}`, { name: 'Owned' });
  await attacker.call('PUT', `/guilds/${guildId}/bans/${randomPlatformId()}`, {});
  await honest.call('PATCH', `/channels/${second.id}`, { topic: 'Honest, later' });
  await honest.call('POST', `/guilds/${guildId}/channels`, { name: 'news' });
  const { repair } = await storeAttack(server, honest, attacker.id);

  const reply = await tenant.call('POST', repair);
  expect(reply).toMatchObject({
    status: 202,
    body: { data: { mode: 'REPAIR', deleteExtra: false } },
  });
  const restore = await fixture.restored(server, reply.body.data.id);
  expect(restore).toMatchObject({ status: 'completed', warnings: [], error: null });
  const after = await guildOf(server);
  const names = (things: Named[]) => things.map(({ name }) => name).sort();
  expect(names(after.channels)).toEqual(
    names([...before.channels, { id: '', name: 'late' }, { id: '', name: 'news' }]),
  );
  expect(after.channels).not.toContainEqual(expect.objectContaining({ id: spam.id }));
  expect(find(after.channels, first.name)).toMatchObject({ topic: 'Set before the attack' });
  expect(find(after.channels, 'late')).toMatchObject({ topic: 'After the backup' });
  expect(find(after.channels, second.name)).toMatchObject({
    id: second.id,
    topic: 'Honest, later',
  });
  // The attacker and the honest bot have a role of their own each.
  const unmanaged = (guild: typeof after) =>
    names(guild.roles.filter(({ managed }: { managed: boolean }) => !managed));
  expect(unmanaged(after)).toEqual(unmanaged(before));
  expect(names(after.emojis)).toEqual(names(before.emojis));
  expect(after.guild).toEqual(before.guild);
  expect(after.bans).toEqual(before.bans);
  const deck = find(after.channels, category.name);
  const childrenOf = (channels: (Named & { parent_id: string | null })[], id?: string) =>
    names(channels.filter(({ parent_id }) => parent_id === id));
  expect(childrenOf(after.channels, deck?.id)).toEqual(childrenOf(before.channels, category.id));
  const holders = (guild: typeof after, id?: string) =>
    guild.members.filter(({ roles }: { roles: string[] }) => roles.includes(id ?? '')).length;
  expect(holders(after, find(after.roles, role.name)?.id)).toBe(holders(before, role.id));

  const incident = await tenant.call('GET', repair.replace('/repair', ''));
  expect(incident.body.data).toMatchObject({ status: 'repaired', repairRestoreId: restore.id });
  expect((await tenant.call('POST', repair)).status).toBe(409);
});

test('what honest people did since an attack is kept until it is repaired, and for a month at most', async () => {
  const [server, quiet] = [await fixture.newServer(), await fixture.newServer()];
  const { tenant } = server;
  await fixture.takeBackup(server);
  const [attacker, honest] = [newPerson(), newPerson()];
  const room = (await guildOf(server)).channels.find(({ type }: { type: number }) => type === 0);
  await attacker.call('PATCH', `/channels/${room.id}`, { name: 'pwned', topic: 'pwned' });
  await honest.call('PATCH', `/channels/${room.id}`, { topic: 'Honest' });
  const { repair } = await storeAttack(server, honest, attacker.id);
  await storeAct(
    { db: service.db, accountId: quiet.tenant.accountId },
    { serverId: quiet.serverId, incidentId: null },
  );
  // A backup can be older than that: who has power is remembered.
  await storeAct(
    { db: service.db, accountId: quiet.tenant.accountId },
    { serverId: quiet.serverId, incidentId: null, kind: 'demotions', action: 'memberRolesChanged' },
  );
  const daysLater = (days: number) => {
    const clock = { now: () => new Date(Date.now() + days * 24 * 60 * 60 * 1000) };
    return tidyUpJob({ ...service, clock }).run({}, AbortSignal.timeout(30_000));
  };
  const actsOf = async (of: OwnedGuild, isAttack = false) =>
    (
      await service.db
        .select({ entryId: guildActs.entryId })
        .from(guildActs)
        .where(
          and(
            eq(guildActs.serverId, of.serverId),
            eq(sql`${guildActs.incidentId} is not null`, isAttack),
          ),
        )
    ).length;

  const [others, attacks] = [await actsOf(server), await actsOf(server, true)];
  await daysLater(3);
  expect([await actsOf(server), await actsOf(quiet)]).toEqual([others, 1]);
  const reply = await tenant.call('POST', repair);
  expect((await fixture.restored(server, reply.body.data.id)).status).toBe('completed');
  const repaired = (await guildOf(server)).channels.find((one: Named) => one.id === room.id);
  expect(repaired).toMatchObject({ name: room.name, topic: 'Honest' });
  await daysLater(3);
  expect([await actsOf(server), await actsOf(server, true)]).toEqual([0, attacks]);

  // Another, which nobody repairs for a month.
  const owner = { db: service.db, accountId: tenant.accountId };
  const late = await storeIncident(owner, server.serverId);
  await storeAct(owner, { serverId: server.serverId, incidentId: null });
  await daysLater(30);
  expect(await actsOf(server)).toBe(1);
  await daysLater(32);
  expect([await actsOf(server), await actsOf(quiet)]).toEqual([0, 0]);
  const createdAt = sql`now() - interval '31 days'`;
  await service.db.update(incidents).set({ createdAt }).where(eq(incidents.id, late.id));
  const refused = await tenant.call('POST', `/api/v1/incidents/${late.id}/repair`);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('cannot be told apart'),
  ]);
});

test('a repair that began before all was known leaves the incident to be repaired again', async () => {
  const server = await fixture.newServer();
  const { tenant, guildId, serverId } = server;
  const before = await guildOf(server);
  await fixture.takeBackup(server);
  const [attacker, honest] = [newPerson(), newPerson()];
  const [first, second] = before.channels.filter(({ type }: { type: number }) => type === 2);
  await attacker.call('DELETE', `/channels/${first.id}`);
  const { id, repair } = await storeAttack(server, honest, attacker.id);
  await attacker.call('DELETE', `/channels/${second.id}`);
  const started = await tenant.call('POST', repair);
  // It is heard only now.
  await storeAct(
    { db: service.db, accountId: tenant.accountId },
    {
      ...{ serverId, guildId, incidentId: id, executorId: attacker.id, targetId: second.id },
      before: { name: second.name, type: 2 },
    },
  );
  await fixture.restored(server, started.body.data.id);
  const path = repair.replace('/repair', '');
  expect((await tenant.call('GET', path)).body.data.status).toBe('contained');

  const again = await tenant.call('POST', repair);
  expect(again.status).toBe(202);
  await fixture.restored(server, again.body.data.id);
  expect((await tenant.call('GET', path)).body.data.status).toBe('repaired');
  const namesOf = (channels: Named[]) => channels.map(({ name }) => name).sort();
  expect(namesOf((await guildOf(server)).channels)).toEqual(namesOf(before.channels));
});

test('a role that comes back goes to those who had it when it was deleted, not when the backup was taken', async () => {
  const moderators = { id: '7001', name: 'Moderators', permissions: '16' };
  const [demoted, promoted, kept] = [
    '710000000000000001',
    '710000000000000002',
    '710000000000000003',
  ];
  const member = (id: string, roles: string[]) => ({ user: { id, username: id }, roles });
  const server = await fixture.newServer({
    roles: [moderators],
    members: [member(demoted, ['7001']), member(promoted, []), member(kept, ['7001'])],
  });
  const { tenant, guildId } = server;
  await fixture.takeBackup(server);
  const [attacker, honest] = [newPerson(), newPerson()];
  const rolePath = (id: string) => `/guilds/${guildId}/members/${id}/roles/7001`;
  await honest.call('DELETE', rolePath(demoted));
  await honest.call('PUT', rolePath(promoted));
  await attacker.call('DELETE', `/guilds/${guildId}/roles/7001`);
  const { repair } = await storeAttack(server, honest, attacker.id);
  const { body } = await tenant.call('POST', repair);
  expect(await fixture.restored(server, body.data.id)).toMatchObject({ status: 'completed' });
  const { members, roles } = await guildOf(server);
  const again = find(roles, 'Moderators')?.id ?? '';
  const holders = members.filter((one: { roles: string[] }) => one.roles.includes(again));
  expect(holders.map(({ user }: { user: { id: string } }) => user.id).sort()).toEqual([
    promoted,
    kept,
  ]);
});
