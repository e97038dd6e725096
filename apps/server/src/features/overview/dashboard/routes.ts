import type { DashboardEndpoints, Overview } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import type { Handlers } from '../../../http/handler.ts';
import type { Picture } from '../../../http/placeholders.ts';
import { progressOf as pullProgress } from '../../pulls/rules.ts';
import { progressOf as restoreProgress } from '../../restores/rules.ts';
import {
  countMembersByServer,
  countOpenAppealsByServer,
  listLastBackups,
  listRunningBackups,
  listRunningPulls,
  listRunningRestores,
  listServersWithBots,
  listUnrestorableByServer,
} from './queries.ts';

type OverviewServer = Overview['servers'][number];
type Running = OverviewServer['running'][number] & { serverId: string };

/** How all servers stand, in as many questions to the database as for one. */
export const overviewHandlers = (
  picture: Picture,
): Handlers<Pick<DashboardEndpoints, 'getOverview'>> => ({
  async getOverview(db, { account: { accountId } }) {
    const rows = await listServersWithBots(db, accountId);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return { servers: [] };
    const [members, appeals, lastBackups, unrestorable, running] = await Promise.all([
      countMembersByServer(db, ids),
      countOpenAppealsByServer(db, accountId, ids),
      listLastBackups(db, accountId),
      listUnrestorableByServer(db, accountId),
      listRunning(db, accountId, ids),
    ]);
    const servers = rows.map(({ id, name, memberCount, iconUrl, backupSchedule, ...bot }) => ({
      ...{ id, name, memberCount, icon: picture('server', iconUrl) },
      members: 0,
      pullableMembers: 0,
      ...of(id, members),
      openAppeals: of(id, appeals)?.total ?? 0,
      backupEveryHours: backupSchedule?.everyHours ?? null,
      bot: botOf(bot),
      lastBackup: backupOf(of(id, lastBackups)),
      unrestorableBackups: of(id, unrestorable) ?? null,
      running: running.filter(({ serverId }) => serverId === id),
    }));
    return { servers };
  },
});

const of = <Row extends { serverId: string }>(id: string, rows: Row[]): Row | undefined =>
  rows.find(({ serverId }) => serverId === id);

type BotColumns = Pick<
  Awaited<ReturnType<typeof listServersWithBots>>[number],
  'botId' | 'botName' | 'isActive' | 'refusedAt' | 'secretRefusedAt'
>;

const botOf = ({ botId, botName, isActive, refusedAt, secretRefusedAt }: BotColumns) => ({
  id: botId,
  name: botName,
  isActive,
  isRefused: !isActive && refusedAt !== null,
  isSecretRefused: secretRefusedAt !== null,
});

type LastBackup = Awaited<ReturnType<typeof listLastBackups>>[number] | undefined;

/** What is completed has its time; the column does not know. */
const backupOf = (backup: LastBackup): OverviewServer['lastBackup'] =>
  backup?.completedAt ? { ...backup, completedAt: backup.completedAt } : null;

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
