import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, inArray } from 'drizzle-orm';
import { takeBackupNow } from '../../../../../test/harness/backups/run-backup.ts';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { decideAtOnce, storeAct, storeGoodBackup } from '../../../../../test/harness/protection.ts';
import { plansWithoutRateLimit } from '../../../../../test/harness/service.ts';
import { systemClock } from '../../../../kernel/clock.ts';
import { applyRetention } from '../../../backups/schedule/apply-retention.ts';
import { backups } from '../../../backups/table.ts';
import { createPlanTable } from '../../../plans/rules.ts';
import { servers } from '../../../servers/table.ts';
import { tidyUpJob } from '../../jobs.ts';
import { pinBackup } from '../../queries/pinned-backup.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'servers.purge'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const backupsOf = ({ serverId }: ProtectedGuild) => `/api/v1/servers/${serverId}/backups`;

/** A moderator gives everybody who has a harmless role power over the server. */
const attack = async (guild: ProtectedGuild) => {
  const mallory = await guild.join();
  const role = `/guilds/${guild.guildId}/roles/${guild.pink}`;
  await guild.call(mallory, 'PATCH', role, { permissions: '16' });
  return guild.contained();
};

const lastGoodOf = async ({ owner, serverId }: ProtectedGuild) =>
  (await owner.call('GET', `/api/v1/servers/${serverId}`)).body.data.lastGoodBackupId;

const retain = ({ owner, serverId }: ProtectedGuild) => {
  const { db, queue } = fixture.service;
  const { limitsOf } = createPlanTable(plansWithoutRateLimit);
  const dependencies = { db, queue, limitsOf, clock: systemClock };
  return applyRetention(dependencies, { accountId: owner.accountId, serverId });
};

const exists = async (guild: ProtectedGuild, backupId: string) =>
  (await guild.owner.call('GET', `${backupsOf(guild)}/${backupId}`)).status === 200;

test('an attack is repaired from the last good backup before it, which stays until then', async () => {
  const { db } = fixture.service;
  const guild = await newProtectedGuild(fixture);
  const { owner, serverId } = guild;
  const outdated = await takeBackupNow(fixture, guild);
  const before = await takeBackupNow(fixture, guild);
  const incident = await attack(guild);
  const path = `/api/v1/incidents/${incident.id}`;
  // Retention leaves the newest four alone, whatever it is told.
  for (let count = 0; count < 3; count++) {
    await storeGoodBackup({ db, accountId: owner.accountId }, serverId);
  }
  const since = await takeBackupNow(fixture, guild);
  expect(await lastGoodOf(guild)).toBe(since);
  expect((await owner.call('GET', path)).body.data.backupId).toBe(before);

  // Both are older than anything that the owner wants to keep.
  const createdAt = new Date(Date.now() - 90 * 24 * 3_600_000);
  await db.update(backups).set({ kind: 'SCHEDULED' }).where(eq(backups.serverId, serverId));
  await db
    .update(backups)
    .set({ createdAt })
    .where(inArray(backups.id, [outdated, before]));
  const retention = { daily: 1, weekly: 0, monthly: 0 };
  await db.update(servers).set({ retention }).where(eq(servers.id, serverId));
  await retain(guild);
  expect([await exists(guild, outdated), await exists(guild, before)]).toEqual([false, true]);
  const refused = await owner.call('DELETE', `${backupsOf(guild)}/${before}`);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('repair or dismiss the incident first'),
  ]);
  const repair = await owner.call('POST', `${path}/repair`);
  expect([repair.status, repair.body.data.backupId]).toEqual([202, before]);
  await owner.call('POST', `/api/v1/restores/${repair.body.data.id}/cancel`);
  expect(await exists(guild, before)).toBe(true);
});

test('an incident keeps its backup, whatever other one from before it is good later', async () => {
  const { db } = fixture.service;
  const guild = await newProtectedGuild(fixture);
  const { owner, serverId } = guild;
  const of = { db, accountId: owner.accountId };
  await storeGoodBackup(of, serverId);
  const pinned = await lastGoodOf(guild);
  const { id, backupId } = await attack(guild);
  expect(backupId).toBe(pinned);
  await storeGoodBackup(of, serverId);
  expect(await lastGoodOf(guild)).not.toBe(pinned);
  await db.transaction((tx) => pinBackup(tx, { ...owner, incidentId: id }));
  const path = `/api/v1/incidents/${id}`;
  expect((await owner.call('GET', path)).body.data.backupId).toBe(pinned);
  const repair = await owner.call('POST', `${path}/repair`);
  expect([repair.text, repair.status]).toEqual([repair.text, 202]);
  expect(repair.body.data.backupId).toBe(pinned);
});

test('nothing keeps a backup for an incident that was dismissed, or is too old', async () => {
  const [guild, forgotten] = [await newProtectedGuild(fixture), await newProtectedGuild(fixture)];
  const [backupId, other] = [
    await takeBackupNow(fixture, guild),
    await takeBackupNow(fixture, forgotten),
  ];
  const { id } = await attack(guild);
  await attack(forgotten);
  expect((await guild.owner.call('DELETE', `${backupsOf(guild)}/${backupId}`)).status).toBe(409);
  await decideAtOnce(fixture.service, guild.owner, id, 'dismiss');
  expect((await guild.owner.call('DELETE', `${backupsOf(guild)}/${backupId}`)).status).toBe(200);

  const inDays = (days: number) => {
    const clock = { now: () => new Date(Date.now() + days * 24 * 3_600_000) };
    return tidyUpJob({ ...fixture.service, clock }).run({}, AbortSignal.timeout(30_000));
  };
  const deletion = () => forgotten.owner.call('DELETE', `${backupsOf(forgotten)}/${other}`);
  await inDays(29);
  expect((await deletion()).status).toBe(409);
  await inDays(32);
  expect((await deletion()).status).toBe(200);
});

test('a backup that was taken during the attack is not what it is repaired from', async () => {
  const guild = await newProtectedGuild(fixture);
  const before = await takeBackupNow(fixture, guild);
  const mallory = await guild.join();
  const [first, ...others] = guild.channelIds.slice(0, 3);
  await guild.deleteChannel(mallory, first ?? '');
  await guild.settled();
  const during = await takeBackupNow(fixture, guild);
  expect(await lastGoodOf(guild)).toBe(during);
  for (const id of others) await guild.deleteChannel(mallory, id);
  expect((await guild.contained()).backupId).toBe(before);
});

test('the older the first act turns out to be, the older is the backup; without one there is no repair', async () => {
  const { db } = fixture.service;
  const guild = await newProtectedGuild(fixture);
  const { owner, serverId } = guild;
  const of = { db, accountId: owner.accountId };
  await storeGoodBackup(of, serverId);
  const later = await takeBackupNow(fixture, guild);
  const incident = await attack(guild);
  expect(incident.backupId).toBe(later);
  const path = `/api/v1/incidents/${incident.id}`;
  const hearOf = async (minutesAgo: number) => {
    const at = new Date(Date.now() - minutesAgo * 60_000);
    await storeAct(of, { serverId, incidentId: incident.id, at, kind: 'edits' });
    await db.transaction((tx) => pinBackup(tx, { ...owner, incidentId: incident.id }));
    return (await owner.call('GET', path)).body.data.backupId;
  };
  const older = await hearOf(30);
  expect([older, older === later]).toEqual([expect.any(String), false]);
  expect((await owner.call('DELETE', `${backupsOf(guild)}/${later}`)).status).toBe(200);
  expect((await owner.call('DELETE', `${backupsOf(guild)}/${older}`)).status).toBe(409);
  expect(await hearOf(90)).toBeNull();
  for (const [method, what] of [
    ['POST', 'repair'],
    ['GET', 'repair-plan'],
  ] as const) {
    expect((await owner.call(method, `${path}/${what}`)).status).toBe(409);
  }
});

test('a server that is deleted takes the backup with it, also one that is kept for a repair', async () => {
  const { db } = fixture.service;
  const guild = await newProtectedGuild(fixture);
  const backupId = await takeBackupNow(fixture, guild);
  await attack(guild);
  await guild.owner.call('DELETE', `/api/v1/servers/${guild.serverId}`);
  await eventually(20_000, async () => {
    const left = await db.select({ id: backups.id }).from(backups).where(eq(backups.id, backupId));
    expect(left).toEqual([]);
  });
});
