import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../../db/connect.ts';
import { preparedRead } from '../../../db/prepared.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';
import { uploads, uploadUses } from '../../uploads/table.ts';
import { withRaisedChecks } from '../rules.ts';
import { raisedChecks, verifyPages } from '../table.ts';

const [logoUse, logo] = [alias(uploadUses, 'logo_use'), alias(uploads, 'logo')];
const [backgroundUse, background] = [
  alias(uploadUses, 'background_use'),
  alias(uploads, 'background'),
];

const serversById = preparedRead((db) =>
  db
    .select({
      id: servers.id,
      accountId: servers.accountId,
      name: servers.name,
      iconUrl: servers.iconUrl,
      givesRole: sql<boolean>`${servers.verifiedRoleId} is not null`,
      captchaType: servers.captchaType,
      vpnBlockEnabled: servers.vpnBlockEnabled,
      altDetectEnabled: servers.altDetectEnabled,
      firewallEnabled: servers.firewallEnabled,
      minAccountAgeDays: servers.minAccountAgeDays,
      raisedCaptchaType: raisedChecks.captchaType,
      raisedMinAccountAgeDays: raisedChecks.minAccountAgeDays,
      pageTitle: verifyPages.title,
      welcome: verifyPages.welcome,
      accent: verifyPages.accent,
      logoToken: sql<string | null>`${logo.token}`.as('logo_token'),
      backgroundToken: sql<string | null>`${background.token}`.as('background_token'),
      plan: accounts.plan,
      botId: bots.id,
      clientId: bots.clientId,
      redirectUri: bots.redirectUri,
      isBotUsable: sql<boolean>`${bots.isActive} and ${bots.secretRefusedAt} is null`,
    })
    .from(servers)
    .innerJoin(accounts, eq(accounts.id, servers.accountId))
    .innerJoin(bots, eq(bots.id, servers.customBotId))
    .leftJoin(
      raisedChecks,
      and(eq(raisedChecks.serverId, servers.id), gt(raisedChecks.until, sql`now()`)),
    )
    .leftJoin(verifyPages, eq(verifyPages.serverId, servers.id))
    .leftJoin(logoUse, and(eq(logoUse.holderId, servers.id), eq(logoUse.field, 'logoUploadId')))
    .leftJoin(logo, eq(logo.id, logoUse.uploadId))
    .leftJoin(
      backgroundUse,
      and(eq(backgroundUse.holderId, servers.id), eq(backgroundUse.field, 'backgroundUploadId')),
    )
    .leftJoin(background, eq(background.id, backgroundUse.uploadId))
    .where(and(eq(servers.id, sql.placeholder('serverId')), isNull(servers.deletedAt))),
);

/**
 * The server being verified for, with the checks that apply now. Found by its id alone, since everyone
 * with the link may verify.
 */
export const findVerificationServer = async (db: Database, serverId: string) => {
  const server = await firstRow(serversById(db, { serverId }));
  return server && withRaisedChecks(server);
};

export type VerificationServer = NonNullable<Awaited<ReturnType<typeof findVerificationServer>>>;
