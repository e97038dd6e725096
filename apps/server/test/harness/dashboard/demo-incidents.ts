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
type OfServer = {
  serverId: string;
  name: string;
  /** A role that was taken, and a member who was banned. */
  roleId: string;
  memberId: string;
};

const minuteMs = 60_000;
const actsStored = 200;
const newcomersStored = 500;

/** An attack and a raid, large ones, as their records are; everybody and everything has that name. */
export const storeDemoIncidents = async (
  { databaseUrl, control }: LocalService,
  { serverId, name }: Pick<OfServer, 'serverId' | 'name'>,
): Promise<{ attackId: string; raidId: string }> => {
  const sql = connectSql(databaseUrl);
  const [row] = await sql`
    select account_id, platform_guild_id from servers where id = ${serverId}`;
  const [member] = await sql`
    select platform_id from members where server_id = ${serverId} order by id limit 1`;
  const { roles } = await control('GET', `/guilds/${row.platform_guild_id}`);
  const isOther = ({ id }: { id: string }) => id !== row.platform_guild_id;
  const db = connectDatabase(databaseUrl, { name: 'holdfast-fixture', poolSize: 1 });
  const owner = { db, accountId: String(row.account_id) };
  const people = { roleId: roles.find(isOther).id, memberId: String(member.platform_id) };
  const server = { serverId, name, ...people };
  const attackId = await storeAttack(owner, server);
  const raidId = await storeRaid(owner, server);
  await closeDatabase(db);
  return { attackId, raidId };
};

/** By a person who was stopped, and by a bot that was not. */
const storeAttack = async (owner: Owner, server: OfServer): Promise<string> => {
  const { db } = owner;
  const { serverId, name, roleId } = server;
  const bot = randomPlatformId();
  const at = after(Date.now() - 60 * minuteMs);
  const { id: incidentId, executorId: person } = await storeIncident(owner, serverId, {
    incident: {
      ...{ firstActAt: at(0), detectedAt: at(840), containedAt: at(2100), createdAt: at(840) },
    },
    executor: { username: name, rolesBefore: [roleId], rolesTaken: [roleId] },
    isEmpty: true,
  });
  await db.insert(incidentExecutors).values({
    ...{ incidentId, platformId: bot, username: name, isBot: true },
    ...{ status: 'unstoppable', code: 'ROLE_TOO_HIGH' },
  });
  await db.insert(incidentSteps).values([
    {
      ...{ incidentId, seq: 2, kind: 'STOP_EXECUTOR', executorId: bot, status: 'failed' },
      ...{ detail: { code: 'ROLE_TOO_HIGH' }, at: at(1300), endedAt: at(1500) },
    },
    {
      ...{ incidentId, seq: 3, kind: 'PAUSE_INVITES', status: 'done' },
      ...{ at: at(1500), endedAt: at(2100) },
    },
  ]);
  await storeActs(owner, server, { incidentId, person, bot, at });
  return incidentId;
};

type Course = { incidentId: string; person: string; bot: string; at: (ms: number) => Date };

const storeActs = async ({ db, accountId }: Owner, server: OfServer, course: Course) => {
  const { serverId, name, memberId } = server;
  const { incidentId, person, bot, at } = course;
  const act = (ms: number, executorId: string, kind: string, action: string) => ({
    ...{ serverId, accountId, incidentId, guildId: '1', entryId: newId() },
    ...{ executorId, kind, action, targetId: randomPlatformId(), at: at(ms) },
  });
  await db.insert(guildActs).values([
    ...Array.from({ length: actsStored }, (_, index) => ({
      // All of it before the person was stopped.
      ...act(index * 5, person, 'channelDeletes', 'channelDeleted'),
      before: { name, topic: name, type: 0 },
    })),
    {
      ...act(40, person, 'dangerousGrants', 'roleChanged'),
      ...{ before: { permissions: '1024', name }, after: { permissions: '1032', name } },
    },
    { ...act(100, bot, 'other', 'guildChanged'), before: { name: 'Harbour' }, after: { name } },
    { ...act(240, bot, 'bans', 'memberBanned'), targetId: memberId },
  ]);
};

/** Nobody has decided yet. */
const storeRaid = async (owner: Owner, { serverId, name }: OfServer): Promise<string> => {
  const at = after(Date.now() - 30 * minuteMs);
  const [begun, noticed, over] = [at(0), at(900), at(10 * minuteMs)];
  const incidentId = await storeWave(owner, serverId, {
    incident: { firstActAt: begun, detectedAt: noticed, containedAt: at(1600), createdAt: noticed },
    wave: {
      ...{ startedAt: begun, lastJoinAt: at(20_000), overAt: over },
      ...{ joins: newcomersStored, newcomers: newcomersStored },
    },
  });
  await owner.db.insert(incidentSteps).values(
    (['RAISE_CHECKS', 'HOLD_NEWCOMERS', 'PAUSE_INVITES'] as const).map((kind, index) => ({
      ...{ incidentId, seq: index + 1, kind, status: 'done' as const },
      ...{ at: at(1000 + index * 200), endedAt: at(1200 + index * 200) },
    })),
  );
  await owner.db.insert(raidNewcomers).values(
    Array.from({ length: newcomersStored }, (_, index) => ({
      ...{ accountId: owner.accountId, serverId, incidentId, platformId: youngPlatformId(index) },
      ...{ username: name, nameKey: 'raider', isYoung: true, isAlike: true, hasPicture: false },
      ...{ joinedAt: at(index * 40), score: 100 },
      ...(index === 0
        ? ({ status: 'spared', code: 'VERIFIED' } as const)
        : ({ status: 'held' } as const)),
    })),
  );
  return incidentId;
};

const after =
  (startMs: number) =>
  (ms: number): Date =>
    new Date(startMs + ms);

const platformEpochMs = 1_420_070_400_000n;

/** Of an account that was made within the last two days: an id of the platform begins with its time. */
const youngPlatformId = (index: number): string => {
  const madeMs = BigInt(Date.now() - 24 * 60 * minuteMs - index * minuteMs);
  return String(((madeMs - platformEpochMs) << 22n) + BigInt(index));
};
