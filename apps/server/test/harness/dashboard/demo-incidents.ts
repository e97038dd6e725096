import { closeDatabase, connectDatabase, type Database } from '../../../src/db/connect.ts';
import { raidNewcomers } from '../../../src/features/protection/raid/table.ts';
import {
  guildActs,
  incidentExecutors,
  incidentSteps,
} from '../../../src/features/protection/table.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { LocalService } from '../local-service.ts';
import { storeIncident, storeWave } from '../protection.ts';
import { connectSql } from '../running-service.ts';
import { randomPlatformId } from '../service.ts';

type Owner = { db: Database; accountId: string };
type OfServer = { serverId: string; name: string };

const actsStored = 200;
const newcomersStored = 500;

/** An attack and a raid, large ones, as their records are; everybody and everything has that name. */
export const storeDemoIncidents = async (
  { databaseUrl }: LocalService,
  server: OfServer,
): Promise<{ attackId: string; raidId: string }> => {
  const [row] = await connectSql(databaseUrl)`
    select account_id from servers where id = ${server.serverId}`;
  const db = connectDatabase(databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
  const owner = { db, accountId: String(row.account_id) };
  const attackId = await storeAttack(owner, server);
  const raidId = await storeRaid(owner, server);
  await closeDatabase(db);
  return { attackId, raidId };
};

/** By a person who was stopped, and by a bot that was not. */
const storeAttack = async (owner: Owner, { serverId, name }: OfServer): Promise<string> => {
  const { db, accountId } = owner;
  const [begun, bot] = [Date.now() - 3_600_000, randomPlatformId()];
  const at = (ms: number) => new Date(begun + ms);
  const { id: incidentId, executorId: person } = await storeIncident(owner, serverId, {
    incident: { firstActAt: at(0), detectedAt: at(840), containedAt: at(2100) },
    executor: { username: name },
    isEmpty: true,
  });
  await db.insert(incidentExecutors).values({
    ...{ incidentId, platformId: bot, username: name, isBot: true },
    ...{ status: 'unstoppable', code: 'ROLE_TOO_HIGH' },
  });
  await db.insert(incidentSteps).values([
    { incidentId, seq: 2, kind: 'STOP_EXECUTOR', executorId: bot, status: 'failed' },
    { incidentId, seq: 3, kind: 'PAUSE_INVITES', status: 'done' },
  ]);
  const act = (index: number, executorId: string, kind: string, action: string) => ({
    ...{ serverId, accountId, incidentId, guildId: '1', entryId: newId() },
    ...{ executorId, kind, action, targetId: String(9000 + index), at: at(index * 20) },
  });
  await db.insert(guildActs).values([
    ...Array.from({ length: actsStored }, (_, index) => ({
      ...act(index, person, 'channelDeletes', 'channelDeleted'),
      before: { name, topic: name, type: 0 },
    })),
    {
      ...act(2, person, 'dangerousGrants', 'roleChanged'),
      ...{ before: { permissions: '1024', name }, after: { permissions: '1032', name } },
    },
    { ...act(5, bot, 'other', 'guildChanged'), before: { name: 'Harbour' }, after: { name } },
    act(12, bot, 'bans', 'memberBanned'),
  ]);
  return incidentId;
};

/** Nobody has decided yet. */
const storeRaid = async (owner: Owner, { serverId, name }: OfServer): Promise<string> => {
  const incidentId = await storeWave(owner, serverId);
  await owner.db.insert(raidNewcomers).values(
    Array.from({ length: newcomersStored }, (_, index) => ({
      ...{ accountId: owner.accountId, serverId, incidentId, platformId: randomPlatformId() },
      ...{ username: name, nameKey: 'raider', isYoung: true, isAlike: true, hasPicture: false },
      ...({ joinedAt: new Date(), score: 100, status: index === 0 ? 'spared' : 'held' } as const),
      ...(index === 0 && { code: 'VERIFIED' as const }),
    })),
  );
  return incidentId;
};
