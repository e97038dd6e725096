import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../../db/connect.ts';
import { preparedRead } from '../../../db/prepared.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';

const serversById = preparedRead((db) =>
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

/** The server being verified for. Found by its id alone, since everyone with the link may verify. */
export const findVerificationServer = (db: Database, serverId: string) =>
  firstRow(serversById(db, { serverId }));

export type VerificationServer = NonNullable<Awaited<ReturnType<typeof findVerificationServer>>>;
