// Takes about 46 s: started before shorter ones.

import { describe, expect, test } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import { startRestoringService } from '../../../test/harness/restores/by-owner.ts';

const { simulator, service, backupsOf, newServer, guildOf, wreck, takeBackup, restore } =
  await startRestoringService();

const names = (things: { name: string }[]) => things.map(({ name }) => name).toSorted();

type Call = {
  seq: number;
  method: string;
  route: string | null;
  guildId: string | null;
  applied: boolean;
};

/** The calls that changed the guild since the one with that number. */
const changesSince = async (guildId: string, since: number): Promise<Call[]> =>
  (await simulator.control('GET', `/log?since=${since}`)).filter(
    (call: Call) => call.guildId === guildId && call.method !== 'GET' && call.applied,
  );
const lastCall = async (): Promise<number> => (await simulator.control('GET', '/log')).at(-1).seq;

describe('a restore', () => {
  test('brings a wrecked server back, and its safety backup undoes it', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId);
    const before = await wreck(guildId);
    const wrecked = await guildOf(guildId);
    const done = await restore(tenant, serverId, backup.id);
    expect(done).toMatchObject({ status: 'completed', progress: 100, warnings: [], error: null });
    expect(done.steps).toMatchObject({ done: done.steps.total, failed: 0 });
    const after = await guildOf(guildId);
    expect(names(after.channels)).toEqual(names(before.channels));
    expect(names(after.roles)).toEqual(names(before.roles));
    for (const part of ['bans', 'automod', 'webhooks']) {
      expect([part, after[part].length]).toEqual([part, before[part].length]);
    }

    const undone = await restore(tenant, serverId, done.safetyBackupId);
    expect(undone.warnings).toEqual([]);
    expect(undone.status).toBe('completed');
    const back = await guildOf(guildId);
    expect(names(back.channels)).toEqual(names(wrecked.channels));
    expect(names(back.roles)).toEqual(names(wrecked.roles));
  });

  test('into another server of the account makes it the same', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const { guildId: targetGuildId, serverId: targetServerId } = await newServer(tenant);
    const backup = await takeBackup(tenant, serverId);
    const done = await restore(tenant, serverId, backup.id, { targetServerId });
    expect(done.serverId).toBe(targetServerId);
    const [source, target] = [await guildOf(guildId), await guildOf(targetGuildId)];
    expect(names(target.channels)).toEqual(names(source.channels));
  });

  test('does what its plan says, and the plan changes nothing', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId);
    await wreck(guildId);
    const since = await lastCall();
    const planned = await tenant.call('POST', `${backupsOf(serverId)}/${backup.id}/plan`);
    expect(planned.status).toBe(200);
    expect(await changesSince(guildId, since)).toEqual([]);
    await restore(tenant, serverId, backup.id);
    expect(await changesSince(guildId, since)).toHaveLength(planned.body.data.calls);
    const { create, delete: deleted } = planned.body.data;
    const ofType = (list: { type: string }[], wanted: string) =>
      list.filter(({ type }) => type === wanted);
    expect(ofType(create, 'channel')).toHaveLength(backup.counts.channels);
    expect(ofType(deleted, 'channel')).toHaveLength(2);
  });

  test('ends between two steps when it is cancelled', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId);
    await simulator.control('POST', '/faults', {
      match: { method: 'POST', route: '/guilds/:id/channels', guildId },
      times: 1000,
      when: 'before',
      action: 'delay',
      ms: 300,
    });
    const path = `${backupsOf(serverId)}/${backup.id}/restore`;
    const { id } = (await tenant.call('POST', path)).body.data;
    await eventually(20_000, async () => {
      const { data } = (await tenant.call('GET', `/api/v1/restores/${id}`)).body;
      expect(data.steps.done).toBeGreaterThan(2);
    });
    const second = await tenant.call('POST', path);
    expect(second.status).toBe(409);
    const held = await tenant.call('DELETE', `${backupsOf(serverId)}/${backup.id}`);
    expect(held.status).toBe(409);
    expect((await tenant.call('POST', `/api/v1/restores/${id}/cancel`)).status).toBe(200);
    await eventually(20_000, async () => {
      const { data } = (await tenant.call('GET', `/api/v1/restores/${id}`)).body;
      expect(data.status).toBe('cancelled');
    });
    await simulator.control('DELETE', '/faults');
    const since = await lastCall();
    await Bun.sleep(700);
    expect(await changesSince(guildId, since)).toEqual([]);
    expect((await tenant.call('POST', `/api/v1/restores/${id}/cancel`)).status).toBe(409);
    expect((await guildOf(guildId)).channels.length).toBeGreaterThan(backup.counts.channels);
  });

  test('fails before its first change where the bot lacks a permission, and says which', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId);
    const guild = await guildOf(guildId);
    // Everything but "manage channels" and "administrator".
    const permissions = String(0x7fff_ffff & ~0x10 & ~0x8);
    await simulator.control('PUT', `/guilds/${guildId}`, {
      ...guild,
      roles: guild.roles.map((role: object) => ({ ...role, permissions })),
    });
    const since = await lastCall();
    const done = await restore(tenant, serverId, backup.id);
    expect(done.status).toBe('failed');
    expect(done.error).toMatch(/permission/i);
    expect(await changesSince(guildId, since)).toEqual([]);
  });

  test('changes nothing where the server could not be backed up before', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId);
    await wreck(guildId);
    const since = await lastCall();
    // Only the first read of the channels is refused, which is the safety backup's.
    await simulator.control('POST', '/faults', {
      match: { method: 'GET', route: '/guilds/:id/channels', guildId },
      ...{ when: 'before', action: 'status', status: 403 },
      body: { message: 'Missing Access', code: 50001 },
    });
    const done = await restore(tenant, serverId, backup.id);
    expect(done.status).toBe('failed');
    expect(done.error).toStartWith('The server could not be backed up before');
    const safety = `${backupsOf(serverId)}/${done.safetyBackupId}`;
    expect((await tenant.call('GET', safety)).body.data.status).toBe('failed');
    expect(await changesSince(guildId, since)).toEqual([]);
  });

  test('creates nothing twice when the answer to a create is lost', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId);
    const before = await wreck(guildId);
    const since = await lastCall();
    for (const route of ['/guilds/:id/channels', '/guilds/:id/roles']) {
      const match = { method: 'POST', route, guildId };
      const fault = { match, when: 'afterApply', action: 'reset' };
      await simulator.control('POST', '/faults', { ...fault, nth: 2 });
    }
    const done = await restore(tenant, serverId, backup.id);
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    const creates = (await changesSince(guildId, since)).filter(({ method }) => method === 'POST');
    const madeAnew = before.roles.filter(
      ({ id, managed }: { id: string; managed: boolean }) => id !== guildId && !managed,
    );
    const channelsAndRoles = creates.filter(({ route }) => /\/(channels|roles)$/.test(route ?? ''));
    expect(channelsAndRoles).toHaveLength(before.channels.length + madeAnew.length);
    const after = await guildOf(guildId);
    expect(names(after.channels)).toEqual(names(before.channels));
    expect(names(after.roles)).toEqual(names(before.roles));
  });

  test('of a missing or incomplete backup, or of components it does not hold, is refused', async () => {
    const { tenant, serverId } = await newServer();
    const stranger = await newServer();
    const backup = await takeBackup(tenant, serverId, { components: ['roles', 'messages'] });
    const ask = (body: object, backupId = backup.id) =>
      tenant.call('POST', `${backupsOf(serverId)}/${backupId}/restore`, { body });
    expect((await ask({ components: ['channels'] })).body.details.fieldErrors).toEqual({
      components: ['The backup does not hold channels'],
    });
    expect((await ask({ components: ['threads'] })).status).toBe(400);
    expect((await ask({ targetServerId: stranger.serverId })).status).toBe(404);
    expect((await ask({}, crypto.randomUUID())).status).toBe(404);
    const foreign = await takeBackup(stranger.tenant, stranger.serverId);
    expect((await ask({}, foreign.id)).status).toBe(404);
    await service.db.$client`update backups set status = 'failed' where id = ${backup.id}`;
    expect((await ask({})).status).toBe(409);
  });
});

test('a restore that meets a missing object fails and marks the backup as not restorable', async () => {
  const { tenant, guildId, serverId } = await newServer();
  const backup = await takeBackup(tenant, serverId);
  const since = await lastCall();
  for await (const blob of service.blobs.list(tenant.accountId)) await service.blobs.delete(blob);
  const done = await restore(tenant, serverId, backup.id);
  expect(done.status).toBe('failed');
  expect(done.error).toStartWith('The backup cannot be read');
  const path = `${backupsOf(serverId)}/${backup.id}`;
  expect((await tenant.call('GET', path)).body.data).toMatchObject({ restorable: false });
  expect(await changesSince(guildId, since)).toEqual([]);
});

test('a completed backup is test-restored, and its record says so', async () => {
  const { tenant, serverId } = await newServer();
  const backup = await takeBackup(tenant, serverId);
  await eventually(20_000, async () => {
    const { data } = (await tenant.call('GET', `${backupsOf(serverId)}/${backup.id}`)).body;
    expect(data).toMatchObject({ restorable: true });
    expect(Date.parse(data.provedAt)).toBeGreaterThanOrEqual(Date.parse(backup.completedAt));
  });
});
