// Takes about 28 s: started before shorter ones.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import type { OwnedGuild } from '../../../../test/harness/backups/fixture.ts';
import type { Person } from '../../../../test/harness/erasure/fixture.ts';
import { type ErasureStory, startErasureStory } from '../../../../test/harness/erasure/story.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { redactAccount } from '../../backups/erasure/jobs.ts';

let story: ErasureStory;
beforeAll(async () => {
  story = await startErasureStory();
});
afterAll(() => story.stop());

const withMessages = {
  components: ['settings', 'roles', 'channels', 'bans', 'memberRoles', 'messages'],
};

const auditsOf = async ({ tenant }: OwnedGuild, wanted: string) =>
  (await auditOf(tenant)).data.filter(({ action }: { action: string }) => action === wanted);

/** So that a restore has something to give back to everybody but the bot. */
const takeRolesAway = async (server: OwnedGuild) => {
  const guild = await story.fixture.guildOf(server);
  const members = guild.members.map((member) =>
    member.nick ? { ...member, nick: null, roles: [] } : member,
  );
  await story.fixture.putGuild(server, { ...guild, members });
};

const redacted = (server: OwnedGuild, { id, checksum }: { id: string; checksum: string }) =>
  eventually(20_000, async () => {
    const backup = await story.fixture.backups.read(server, id);
    expect(backup.checksum).not.toBe(checksum);
    return backup;
  });

const holdsPerson = async (server: OwnedGuild, person: Person, backupId: string) => {
  const { objectsHolding } = story.fixture;
  const found = await Promise.all(
    [person.platformId, person.canary].map((name) => objectsHolding(server, name, backupId)),
  );
  return found.flat().length > 0;
};

const beginRestore = async ({ tenant, serverId }: OwnedGuild, backupId: string) => {
  const path = `${story.fixture.backups.backupsOf(serverId)}/${backupId}/restore`;
  const reply = await tenant.call('POST', path, { body: {} });
  expect(reply.status).toBe(202);
  return reply.body.data.id;
};

test('a verified member who erases themselves is removed from the backup for good', async () => {
  const { person, server } = await story.newPersonOnServer();
  const backup = await story.fixture.backups.takeBackup(server, withMessages);
  expect(await holdsPerson(server, person, backup.id)).toBe(true);
  expect((await story.fixture.erase(person)).status).toBe(200);

  const after = await redacted(server, backup);
  expect(after.counts.members).toBe(backup.counts.members - 1);
  expect(await holdsPerson(server, person, backup.id)).toBe(false);
  await story.redactionsEnded(server.tenant.accountId);
  expect(await auditsOf(server, 'backup.redact')).toHaveLength(1);
  expect(await auditsOf(server, 'member.erase')).toHaveLength(1);
  // One when the backup was completed, one for what it is now.
  expect(await story.jobsOf('restores.test-backup', 'backupId', backup.id)).toHaveLength(2);
  await eventually(20_000, async () => {
    expect(await story.fixture.backups.read(server, backup.id)).toMatchObject({ restorable: true });
  });

  await takeRolesAway(server);
  const named = await story.watchCallsNaming(person);
  const restored = await story.fixture.backups.restore(server, backup.id);
  expect(restored).toMatchObject({ status: 'completed', error: null });
  expect(await named()).toEqual([]);
});

describe('erasing oneself', () => {
  test('during a restore keeps its remaining calls from naming the person, and the redaction waits', async () => {
    const { person, server, other, roleId } = await story.newPersonOnServer();
    const guild = await story.fixture.guildOf(server);
    const extra = { id: randomPlatformId(), name: 'Extra' };
    await story.fixture.putGuild(server, { ...guild, roles: [...guild.roles, extra] });
    const backup = await story.fixture.backups.takeBackup(server);
    // All channels and one role are to be made anew, and everybody's roles to be given back.
    await story.fixture.putGuild(server, { ...guild, channels: [] });
    await takeRolesAway(server);
    const roles = `/guilds/${server.guildId}/roles`;
    const held = story.hold(({ method, url }) => method === 'POST' && url.endsWith(roles));
    const restoreId = await beginRestore(server, backup.id);
    await held.reached;
    // Every step is planned by now, the person's among them.
    const named = await story.watchCallsNaming(person);
    await story.fixture.erase(person);
    expect(await story.redactionsEnded(server.tenant.accountId)).toBeGreaterThan(0);
    expect((await story.fixture.backups.read(server, backup.id)).checksum).toBe(backup.checksum);
    const redactions = await auditsOf(server, 'backup.redact');
    expect(JSON.stringify(redactions)).not.toContain(backup.id);

    held.release();
    const ended = await story.fixture.backups.restored(server, restoreId);
    expect(ended.status).toBeOneOf(['completed', 'partial']);
    expect(await named()).toEqual([]);
    const back = (await story.fixture.guildOf(server)).members;
    const memberOf = (id: string) => back.find(({ user }) => user.id === id);
    expect(memberOf(other)).toMatchObject({ nick: 'Friend', roles: [roleId] });
    expect(memberOf(person.platformId)).toMatchObject({ roles: [] });
    await redacted(server, backup);
    await story.redactionsEnded(server.tenant.accountId);
    const steps = await story.service.db.$client`
      select 1 from restore_steps as step where restore_id = ${restoreId}
        and strpos(step::text, ${person.platformId}) + strpos(step::text, ${person.canary}) > 0`;
    expect(steps).toHaveLength(0);
  });

  test('while a call of a restore is retried keeps it from being retried for them', async () => {
    const { person, server } = await story.newPersonOnServer();
    const backup = await story.fixture.backups.takeBackup(server);
    await takeRolesAway(server);
    const held = story.hold(
      ({ method, url }) => method === 'PATCH' && url.endsWith(`/members/${person.platformId}`),
    );
    const restoreId = await beginRestore(server, backup.id);
    await held.reached;
    const named = await story.watchCallsNaming(person);
    await story.fixture.erase(person);
    held.release(new Response('no answer that anybody knows'));
    await story.fixture.backups.restored(server, restoreId);
    expect(await named()).toEqual([]);
    await redacted(server, backup);
  });

  test('during a backup removes them from it as soon as it is stored', async () => {
    const { person, server } = await story.newPersonOnServer();
    const held = story.hold(({ url }) => url.includes('/messages'));
    const backupId = await story.fixture.backups.begin(server, withMessages);
    await held.reached;
    await story.fixture.erase(person);
    await story.redactionsEnded(server.tenant.accountId);
    held.release();
    const backup = await story.fixture.backups.ended(server, backupId);
    expect(backup.status).toBe('completed');
    const { text } = await server.tenant.call(
      'POST',
      `${story.fixture.backups.backupsOf(server.serverId)}/${backupId}/plan`,
      { body: {} },
    );
    for (const name of [person.platformId, person.canary]) expect(text).not.toContain(name);
    await eventually(20_000, async () => {
      expect(await auditsOf(server, 'backup.redact')).toHaveLength(1);
    });
    expect(await holdsPerson(server, person, backupId)).toBe(false);
  });

  test('deletes the stored answer of a plan that names them, and no other account’s', async () => {
    const [mine, others] = [await story.newPersonOnServer(), await story.newPersonOnServer()];
    const planOf = async ({ server, person }: typeof mine) => {
      const { id } = await story.fixture.backups.takeBackup(server);
      const path = `${story.fixture.backups.backupsOf(server.serverId)}/${id}/plan`;
      const headers = { 'idempotency-key': crypto.randomUUID() };
      await takeRolesAway(server);
      const plan = () => server.tenant.call('POST', path, { body: {}, headers });
      expect((await plan()).text).toContain(person.canary);
      expect((await plan()).headers.get('idempotency-replayed')).toBe('true');
      return plan;
    };
    const [plan, othersPlan] = [await planOf(mine), await planOf(others)];
    await story.fixture.erase(mine.person);
    const again = await plan();
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(again.text).not.toContain(mine.person.canary);
    expect((await othersPlan()).headers.get('idempotency-replayed')).toBe('true');
    const kept = await story.service.db.$client`
      select 1 from idempotent_answers where strpos(body, ${mine.person.canary}) > 0`;
    expect(kept).toHaveLength(0);
  });

  test('beside restores, deletions and plans of the same backups succeeds', async () => {
    const { person, server } = await story.newPersonOnServer();
    const { tenant, serverId } = server;
    const { backups } = story.fixture;
    const [first, second, third] = [
      await backups.takeBackup(server, withMessages),
      await backups.takeBackup(server),
      await backups.takeBackup(server, withMessages),
    ];
    const at = (id: string) => `${backups.backupsOf(serverId)}/${id}`;
    const { db, queue, logLines } = story.service;
    const logged = logLines.length;
    const redact = () =>
      db.transaction((tx) => queue.enqueue(tx, redactAccount, { accountId: tenant.accountId }));
    const erased = story.fixture.erase(person);
    const replies = await Promise.all([
      tenant.call('DELETE', at(first.id)),
      tenant.call('POST', `${at(second.id)}/restore`, { body: {} }),
      tenant.call('POST', `${at(third.id)}/plan`, { body: {} }),
      tenant.call('DELETE', at(third.id)),
      tenant.call('POST', `${at(first.id)}/plan`, { body: {} }),
      ...[redact(), redact(), redact()],
    ]);
    expect((await erased).status).toBe(200);
    for (const reply of replies) {
      if (reply) expect(reply.status).toBeOneOf([200, 202, 404, 409]);
    }
    const restoreId = replies[1]?.body.data.id;
    expect((await backups.restored(server, restoreId)).status).toBeOneOf(['completed', 'partial']);
    await redacted(server, second);
    await story.redactionsEnded(tenant.accountId);
    const { data } = (await tenant.call('GET', backups.backupsOf(serverId))).body;
    for (const { id } of data) expect(await holdsPerson(server, person, id)).toBe(false);
    const log = logLines.slice(logged).join('\n');
    expect(log).not.toContain('deadlock');
    expect(log).not.toContain('"level":50');
  });
});

test('verifying again lets later backups hold the person, and no earlier one brings them back', async () => {
  const { person, server, roleId } = await story.newPersonOnServer();
  const before = await story.fixture.backups.takeBackup(server);
  await story.fixture.erase(person);
  await redacted(server, before);
  await story.verify(server, person);
  const after = await story.fixture.backups.takeBackup(server);
  await story.redactionsEnded(server.tenant.accountId);
  expect(await holdsPerson(server, person, before.id)).toBe(false);
  expect(await holdsPerson(server, person, after.id)).toBe(true);

  await takeRolesAway(server);
  const named = await story.watchCallsNaming(person);
  await story.fixture.backups.restore(server, before.id);
  expect(await named()).toEqual([]);
  await story.fixture.backups.restore(server, after.id);
  const { members } = await story.fixture.guildOf(server);
  const member = members.find(({ user }) => user.id === person.platformId);
  expect(member?.nick).toBe(`${person.canary}-nick`);
  expect(member?.roles).toContain(roleId);
});
