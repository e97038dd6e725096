import type {
  accountEndpoints,
  DashboardEndpoints,
  Overview,
  Plan,
  PlanName,
} from '@holdfast/contract';
import type { Database } from '../../db/connect.ts';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { subscriptionInForce } from '../billing/subscriptions/shown-subscription.ts';
import { progressOf as pullProgress } from '../pulls/rules.ts';
import { progressOf as restoreProgress } from '../restores/rules.ts';
import { describeHealth } from '../servers/health/describe-health.ts';
import { brokenPointers } from '../servers/pointers/pointers.ts';
import { findAccount } from './queries/account.ts';
import {
  countAttackers,
  countMembersByServer,
  countOpenAppealsByServer,
  countPostedPanels,
  listLastBackups,
  listOpenIncidents,
  listRunningBackups,
  listRunningPulls,
  listRunningRestores,
  listServersWithBots,
  listUnrestorableByServer,
} from './queries/servers.ts';
import { botOf, lastBackupOf } from './rules.ts';

type AccountDependencies = { clock: Clock; picture: Picture; limitsOf(plan: PlanName): Plan };

export const accountHandlers = ({
  clock,
  picture,
  limitsOf,
}: AccountDependencies): Handlers<Pick<typeof accountEndpoints, 'getAccount'>> => ({
  async getAccount(db, { account: { accountId } }) {
    const account = await findAccount(db, accountId);
    if (!account) throw notFound('Account');
    return {
      ...account,
      displayName: account.displayName ?? account.username,
      avatar: picture('avatar', account.avatarUrl),
      _count: { servers: account.servers, customBots: account.customBots, teams: 0 },
      subscription: subscriptionInForce(account.plan, account, clock.now()),
      // The limits of the plan that was just read: the request's own plan may be cached.
      limits: limitsOf(account.plan),
    };
  },
});

/** The number of queries does not grow with the number of servers. */
export const overviewHandlers = (
  picture: Picture,
): Handlers<Pick<DashboardEndpoints, 'getOverview'>> => ({
  async getOverview(db, { account: { accountId } }) {
    const rows = await listServersWithBots(db, accountId);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return { servers: [] };
    const [members, appeals, posted, lastBackups, unrestorable, incidents, running] =
      await Promise.all([
        countMembersByServer(db, ids),
        countOpenAppealsByServer(db, accountId, ids),
        countPostedPanels(db, accountId, ids),
        listLastBackups(db, accountId, ids),
        listUnrestorableByServer(db, accountId),
        listOpen(db, accountId, ids),
        listRunning(db, accountId, ids),
      ]);
    const servers = rows.map(({ id, name, memberCount, iconUrl, backupSchedule, ...row }) => ({
      ...{ id, name, memberCount, icon: picture('server', iconUrl) },
      members: 0,
      pullableMembers: 0,
      ...findOf(id, members),
      openAppeals: findOf(id, appeals)?.total ?? 0,
      backupEveryHours: backupSchedule?.everyHours ?? null,
      hasVerifiedRole: row.verifiedRoleId !== null,
      hasLogChannel: row.logChannelId !== null,
      postedPanels: findOf(id, posted)?.total ?? 0,
      bot: botOf(row),
      ...describeHealth(row),
      lastGoodBackupId: row.lastGoodBackupId,
      brokenPointers: brokenPointers(row),
      lastBackup: lastBackupOf(findOf(id, lastBackups)),
      unrestorableBackups: findOf(id, unrestorable) ?? null,
      openIncidents: incidents.filter(({ serverId }) => serverId === id),
      running: running.filter(({ serverId }) => serverId === id),
    }));
    return { servers };
  },
});

const findOf = <Row extends { serverId: string }>(id: string, rows: Row[]): Row | undefined =>
  rows.find(({ serverId }) => serverId === id);

const listOpen = async (db: Database, accountId: string, ids: string[]) => {
  const [open, attackers] = await Promise.all([
    listOpenIncidents(db, accountId, ids),
    countAttackers(db, accountId, ids),
  ]);
  return open.map((incident) => ({
    ...incident,
    attackers: attackers.find(({ incidentId }) => incidentId === incident.id) ?? nobody,
  }));
};

const nobody = { total: 0, unstopped: 0 };

type Running = Overview['servers'][number]['running'][number] & { serverId: string };

const listRunning = async (db: Database, accountId: string, ids: string[]): Promise<Running[]> => {
  const [backups, restores, pulls] = await Promise.all([
    listRunningBackups(db, accountId),
    listRunningRestores(db, accountId, ids),
    listRunningPulls(db, accountId, ids),
  ]);
  return [
    ...restores.map((job) => ({
      ...job,
      kind: 'RESTORE' as const,
      progress: restoreProgress(job),
    })),
    ...pulls.map((job) => ({ ...job, kind: 'PULL' as const, progress: pullProgress(job) })),
    ...backups.map((job) => ({ ...job, kind: 'BACKUP' as const })),
  ];
};
