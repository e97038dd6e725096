import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import { newProtectedGuild } from '../../../../test/harness/protected-guild.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'restores.run', 'restores.repair'],
  });
  // Nothing is stopped as it arrives.
  fixture.startHolding({}, { isWatching: false });
});
afterAll(() => fixture.stop());

test('an attack is contained from what is stored, and is the same one in another session', async () => {
  const guild = await newProtectedGuild(fixture);
  const mallory = await guild.join();
  for (const id of guild.channelIds.slice(0, 3)) await guild.deleteChannel(mallory, id);
  const incident = await guild.contained();
  expect(incident.executors).toMatchObject([{ platformId: mallory, rolesTaken: [guild.mod] }]);
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);

  const sessions = (await fixture.heard(guild.bot, 'guildAvailable')).length;
  await fixture.act(guild.bot, { action: 'invalidate', isResumable: false });
  await eventually(10_000, async () => {
    expect((await fixture.heard(guild.bot, 'guildAvailable')).length).toBeGreaterThan(sessions);
  });
  await guild.settled();
  expect(await guild.incidents()).toHaveLength(1);
});

test('what happened while the bot was away is found in the audit log', async () => {
  const guild = await newProtectedGuild(fixture);
  const mallory = await guild.join();
  await guild.call(guild.ownerId, 'POST', `/guilds/${guild.guildId}/channels`, { name: 'heard' });
  await guild.settled();
  await fixture.simulator.control('PUT', '/gateway/faults', {
    ...{ botId: guild.bot.platformId, refuseMs: 400 },
  });
  await fixture.act(guild.bot, { action: 'close', code: 4009 });
  for (const id of guild.channelIds.slice(0, 3)) await guild.deleteChannel(mallory, id);
  const incident = await guild.contained();
  expect(incident.acts.byKind.channelDeletes).toBe(3);
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
});

test('a restore of ours deletes much, and is no attack', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 3 });
  const { owner, serverId, guildId } = guild;
  const backupId = await takeBackupNow(fixture, { owner, serverId });
  const state = await guild.now();
  const extra = Array.from({ length: 6 }, (_, index) => ({
    ...{ id: randomPlatformId(), type: 0, name: `extra-${index}` },
  }));
  const path = `/guilds/${guildId}`;
  await fixture.simulator.control('PUT', path, {
    ...state,
    channels: [...state.channels, ...extra],
  });
  const restore = await owner.call(
    'POST',
    `/api/v1/servers/${serverId}/backups/${backupId}/restore`,
    { body: { mode: 'REPAIR', deleteExtra: true, components: ['channels'] } },
  );
  expect(restore.status).toBe(202);
  await eventually(20_000, async () => {
    expect((await guild.now()).channels).toHaveLength(state.channels.length);
  });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
});

test('honest work is no attack, and no part of the one that follows it', async () => {
  const guild = await newProtectedGuild(fixture);
  const [admin, spammer] = [await guild.join(), await guild.join([])];
  const path = `/guilds/${guild.guildId}`;
  await guild.call(admin, 'POST', `${path}/channels`, { name: 'event' });
  await guild.call(admin, 'PUT', `${path}/bans/${spammer}`, {});
  // It has what everybody may, also to mention everybody.
  await guild.call(admin, 'POST', `${path}/roles`, { name: 'book club' });
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
  await guild.call(admin, 'PATCH', `${path}/roles/${guild.guard}`, { permissions: '268435456' });
  const incident = await guild.contained();
  expect(incident).toMatchObject({ executors: [{ platformId: admin }], acts: { total: 1 } });
});

test('whoever floods a guild is stopped, and so are many who delete one channel each', async () => {
  const guild = await newProtectedGuild(fixture);
  const mallory = await guild.join();
  const path = `/guilds/${guild.guildId}/channels`;
  for (const id of guild.channelIds.slice(0, 9)) {
    await guild.call(mallory, 'PATCH', `/channels/${id}`, { name: 'taken' });
    await guild.call(mallory, 'PATCH', `/channels/${id}`, { topic: 'over' });
  }
  await guild.settled();
  expect(await guild.incidents()).toEqual([]);
  for (let n = 0; n < 6; n++) await guild.call(mallory, 'POST', path, { name: `spam-${n}` });
  const incident = await guild.contained();
  expect(incident).toMatchObject({ executors: [{ platformId: mallory }], acts: { total: 24 } });
  const crowd: string[] = [];
  for (let n = 0; n < 6; n++) crowd.push(await guild.join());
  for (const [n, one] of crowd.entries()) await guild.deleteChannel(one, guild.channelIds[n] ?? '');
  const { executors } = await guild.contained(7);
  expect(executors.map(({ platformId }: { platformId: string }) => platformId).sort()).toEqual(
    [mallory, ...crowd].sort(),
  );
});
