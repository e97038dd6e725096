import { and, desc, eq, gt, inArray, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Database, Queryable } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { bots } from '../bots/table.ts';
import { members } from '../members/table.ts';
import type { RuleTable } from '../rules/table.ts';
import { servers } from '../servers/table.ts';
import { accounts } from '../accounts/table.ts';
import { authorizations } from './table.ts';

const inMs = (ms: number) => sql<Date>`now() + make_interval(secs => ${ms / 1000})`;
const authorizationMs = 10 * 60 * 1000;
const authorizationsPerServer = 5000;
/** More than one, so that newcomers who came at the same moment are made up for by the next. */
const roomMadeAtATime = 20;

const doors = preparedRead((db) =>
  db
    .select({
      id: servers.id,
      accountId: servers.accountId,
      name: servers.name,
      iconUrl: servers.iconUrl,
      captchaType: servers.captchaType,
      vpnBlockEnabled: servers.vpnBlockEnabled,
      altDetectEnabled: servers.altDetectEnabled,
      firewallEnabled: servers.firewallEnabled,
      minAccountAgeDays: servers.minAccountAgeDays,
      plan: accounts.plan,
      botId: bots.id,
      clientId: bots.clientId,
      redirectUri: bots.redirectUri,
      isBotUsable: sql<boolean>`${bots.isActive} and ${bots.secretRefusedAt} is null`,
    })
    .from(servers)
    .innerJoin(accounts, eq(accounts.id, servers.accountId))
    .innerJoin(bots, eq(bots.id, servers.customBotId))
    .where(and(eq(servers.id, sql.placeholder('serverId')), isNull(servers.deletedAt))),
);

/**
 * What newcomers stand before: a server as its settings have it. Found by its id alone, since whoever
 * has the link may come.
 */
export const findDoor = async (db: Database, serverId: string) => {
  const [door] = await doors(db, { serverId });
  return door;
};

export type Door = NonNullable<Awaited<ReturnType<typeof findDoor>>>;

/** Asked at every visit, and so without reading the whole list. */
export const hasServerIdRule = async (
  db: Queryable,
  table: RuleTable,
  server: { id: string; accountId: string },
): Promise<boolean> => {
  const found = await db
    .select({ id: table.id })
    .from(table)
    .where(
      and(
        eq(table.serverId, server.id),
        eq(table.accountId, server.accountId),
        eq(table.type, 'SERVER_ID'),
      ),
    )
    .limit(1);
  return found.length > 0;
};

/** The bot that somebody who comes again gave their tokens to, if they did. */
export const findTokenBot = async (
  db: Queryable,
  person: { accountId: string; serverId: string; platformId: string },
): Promise<string | null> => {
  const [member] = await db
    .select({ botId: members.botId })
    .from(members)
    .where(
      and(
        eq(members.serverId, person.serverId),
        eq(members.accountId, person.accountId),
        eq(members.platformId, person.platformId),
      ),
    );
  return member?.botId ?? null;
};

type NewAuthorization = Omit<typeof authorizations.$inferInsert, 'expiresAt' | 'usedAt'>;

/**
 * One more for its server, where the newest `authorizationsPerServer` are kept. The oldest make room:
 * to refuse newcomers instead would let a few addresses close the server to everybody.
 */
export const insertAuthorization = async (db: Queryable, row: NewAuthorization): Promise<void> => {
  await makeRoom(db, row.serverId);
  await db.insert(authorizations).values({ ...row, expiresAt: inMs(authorizationMs) });
};

const makeRoom = async (db: Queryable, server: string): Promise<void> => {
  const { stateHash, serverId, expiresAt } = authorizations;
  const newestTooMany = db
    .select({ expiresAt })
    .from(authorizations)
    .where(eq(serverId, server))
    .orderBy(desc(expiresAt))
    .offset(authorizationsPerServer - 1)
    .limit(1);
  // Skips what another newcomer is deleting, and what is being claimed at this moment.
  const tooMany = db
    .select({ stateHash })
    .from(authorizations)
    .where(and(eq(serverId, server), lte(expiresAt, newestTooMany)))
    .orderBy(expiresAt)
    .limit(roomMadeAtATime)
    .for('update', { skipLocked: true });
  await db.delete(authorizations).where(inArray(stateHash, tooMany));
};

/** Once, in the same browser, and in time: of many who bring one state, one gets it. */
export const claimAuthorization = async (db: Queryable, stateHash: string, browserHash: string) => {
  const [claimed] = await db
    .update(authorizations)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(authorizations.stateHash, stateHash),
        eq(authorizations.browserHash, browserHash),
        isNull(authorizations.usedAt),
        gt(authorizations.expiresAt, sql`now()`),
      ),
    )
    .returning();
  return claimed;
};

export type Authorization = NonNullable<Awaited<ReturnType<typeof claimAuthorization>>>;

/** Where somebody began whose state is not good any more, so that they can begin again. */
export const findServerOfState = async (db: Queryable, stateHash: string) => {
  const [found] = await db
    .select({ serverId: authorizations.serverId })
    .from(authorizations)
    .where(eq(authorizations.stateHash, stateHash));
  return found?.serverId;
};

export const forgetAuthorizations = async (db: Queryable, most: number): Promise<number> => {
  const { stateHash, expiresAt } = authorizations;
  const some = db
    .select({ stateHash })
    .from(authorizations)
    .where(lt(expiresAt, sql`now()`))
    .limit(most);
  const gone = await db
    .delete(authorizations)
    .where(inArray(stateHash, some))
    .returning({ stateHash });
  return gone.length;
};

export const purgeAuthorizations = async (
  db: Queryable,
  serverId: string,
  most: number,
): Promise<number> => {
  const { stateHash } = authorizations;
  const some = db
    .select({ stateHash })
    .from(authorizations)
    .where(eq(authorizations.serverId, serverId))
    .limit(most);
  const gone = await db
    .delete(authorizations)
    .where(inArray(stateHash, some))
    .returning({ stateHash });
  return gone.length;
};
