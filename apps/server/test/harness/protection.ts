import { eq } from 'drizzle-orm';
import { backups } from '../../src/features/backups/table.ts';
import { raidNewcomers, raidWaves } from '../../src/features/protection/raid/table.ts';
import {
  guildActs,
  incidentExecutors,
  incidentSteps,
  incidents,
} from '../../src/features/protection/table.ts';
import { servers } from '../../src/features/servers/table.ts';
import { newId } from '../../src/kernel/ids.ts';
import { openDashboard } from './dashboard/session.ts';
import { type OwnTenant, randomPlatformId, type Tenant, type TestService } from './service.ts';

type Seed = {
  incident?: Partial<typeof incidents.$inferInsert>;
  executor?: Partial<typeof incidentExecutors.$inferInsert>;
  /** Whether its acts are stored apart. */
  isEmpty?: boolean;
};

/** An attack that was contained: somebody deleted two channels, and lost a role. */
export const storeIncident = async (
  { db, accountId }: Pick<OwnTenant, 'db' | 'accountId'>,
  serverId: string,
  { incident = {}, executor = {}, isEmpty = false }: Seed = {},
): Promise<{ id: string; executorId: string }> => {
  const [id, guildId, executorId] = [newId(), randomPlatformId(), randomPlatformId()];
  const firstActAt = incident.firstActAt ?? new Date(Date.now() - 5000);
  const after = (ms: number) => new Date(firstActAt.getTime() + ms);
  await db.insert(incidents).values({
    ...{ id, accountId, serverId, guildId, kind: 'NUKE', status: 'contained' },
    trigger: { kind: 'channelDeletes', executorId },
    ...{ firstActAt, detectedAt: after(1000), containedAt: after(1500) },
    ...incident,
  });
  await db.insert(incidentExecutors).values({
    ...{ incidentId: id, platformId: executorId, username: 'stowaway', isBot: false },
    ...{ status: 'stopped', stoppedAt: after(1200) },
    ...{ rolesBefore: ['11', '12'], rolesTaken: ['12'] },
    ...executor,
  });
  await db.insert(incidentSteps).values({
    ...{ incidentId: id, seq: 1, kind: 'STOP_EXECUTOR', executorId, status: 'done' },
    ...{ at: after(1000), endedAt: after(1200) },
  });
  for (const targetId of isEmpty ? [] : ['21', '22']) {
    const act = { guildId, executorId, targetId, at: firstActAt };
    await storeAct({ db, accountId }, { serverId, incidentId: id, ...act });
  }
  return { id, executorId };
};

/** By the owner in the dashboard, where it takes effect at once. */
export const decideAtOnce = async (
  service: TestService,
  tenant: Tenant,
  incidentId: string,
  decision: 'dismiss' | 'return-roles',
) => (await openDashboard(service, tenant)).call('POST', `/incidents/${incidentId}/${decision}`);

type ActSeed = { serverId: string; incidentId: string | null } & Partial<
  typeof guildActs.$inferInsert
>;

/** A channel that was deleted, unless something else is given. */
export const storeAct = async (
  { db, accountId }: Pick<OwnTenant, 'db' | 'accountId'>,
  act: ActSeed,
): Promise<void> => {
  await db
    .insert(guildActs)
    .values({
      ...{ accountId, guildId: '1', entryId: newId(), executorId: '2', at: new Date() },
      ...{ kind: 'channelDeletes', action: 'channelDeleted' },
      ...act,
    })
    .onConflictDoNothing();
};

/** A last good backup of which only the database knows. */
export const storeGoodBackup = async (
  { db, accountId }: Pick<OwnTenant, 'db' | 'accountId'>,
  serverId: string,
): Promise<void> => {
  const [id, anHourAgo] = [newId(), new Date(Date.now() - 3_600_000)];
  await db.insert(backups).values({
    ...{ id, accountId, serverId, name: 'Good', kind: 'MANUAL', status: 'completed' },
    createdAt: anHourAgo,
    startedAt: anHourAgo,
    completedAt: anHourAgo,
    health: 'GOOD',
    ...{ components: ['settings', 'roles', 'channels'], messagesPerChannel: 0 },
  });
  await db.update(servers).set({ lastGoodBackupId: id }).where(eq(servers.id, serverId));
};

type OfAccount = Pick<OwnTenant, 'db' | 'accountId'>;

type WaveSeed = {
  incident?: Partial<typeof incidents.$inferInsert>;
  wave?: Partial<typeof raidWaves.$inferInsert>;
};

/** A wave that is over; gives the id of its incident. */
export const storeWave = async (
  owner: OfAccount,
  serverId: string,
  { incident = {}, wave = {} }: WaveSeed = {},
): Promise<string> => {
  const { db, accountId } = owner;
  const [incidentId, guildId, startedAt] = [newId(), randomPlatformId(), new Date()];
  await db.insert(incidents).values({
    ...{ id: incidentId, accountId, serverId, guildId, kind: 'RAID', status: 'contained' },
    trigger: { kind: 'joins', executorId: null },
    ...{ firstActAt: startedAt, detectedAt: startedAt, containedAt: startedAt },
    ...incident,
  });
  await db.insert(raidWaves).values({
    ...{ incidentId, accountId, serverId, guildId, minAccountAgeDays: 3 },
    ...{ startedAt, lastJoinAt: startedAt, overAt: startedAt, joins: 1, newcomers: 1 },
    ...wave,
  });
  return incidentId;
};

/** Somebody who is held. */
export const storeNewcomer = async (
  { db, accountId }: OfAccount,
  newcomer: { serverId: string } & Partial<typeof raidNewcomers.$inferInsert>,
): Promise<void> => {
  await db.insert(raidNewcomers).values({
    ...{ accountId, platformId: randomPlatformId(), joinedAt: new Date() },
    ...{ username: 'raider_1', nameKey: 'raider', isYoung: true, hasPicture: false },
    ...{ score: 70, status: 'held', ...newcomer },
  });
};
