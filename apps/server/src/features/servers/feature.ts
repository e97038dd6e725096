import { jobEntry } from '../../queue/job.ts';
import { followGuilds } from './guild/follow-guilds.ts';
import { readGuildSummaryOnce } from './guild/guild-summary.ts';
import { createGuildViewReader } from './guild/guild-view.ts';
import { createNewGuildFinder } from './guild/new-guilds.ts';
import { postLogMessage } from './guild/post-log-message.ts';
import {
  purgeServer,
  purgeServerJob,
  refreshServer,
  refreshServerJob,
  refreshServers,
  refreshServersJob,
} from './jobs.ts';
import { purgeRestoredIds } from './restored-ids/queries.ts';
import { serverDashboardHandlers, serverHandlers } from './routes.ts';
import { createManagedGuildsPage } from './setup/managed-guilds-page.tsx';
import { serverSetupHandlers } from './setup/routes.ts';

/**
 * Servers: an account's records of its guilds, each with its bot and settings.
 *
 * - `routes.ts`, `queries.ts`, `rules.ts`: create, change and delete servers within the plan.
 * - `guild/`: reads a guild for the API (icon and member count) and for the dashboard (its roles and
 *   channels), finds the guild that a server can move to (`new-guilds.ts`), follows what the gateway tells about it (`follow-guilds.ts`), and writes into its log
 *   channel (`post-log-message.ts`).
 * - `setup/`: before a server exists: the guilds that a bot is in, those that its owner manages without it,
 *   and a role and a log channel made by one press.
 * - `pointers/`: settings that name a role or channel follow it through restores and moves.
 * - `restored-ids/`: which ids things of backups were given in a guild by restores.
 * - `jobs.ts`: refreshes icon and member count, and purges a deleted server. A deleted server is first
 *   only marked; the job then deletes its rows by the purgers of all features, in chunks.
 */
export const servers = {
  handlers: serverHandlers,
  dashboardHandlers: serverDashboardHandlers,
  setupHandlers: serverSetupHandlers,
  createManagedGuildsPage,
  readGuildSummary: readGuildSummaryOnce,
  createGuildViewReader,
  createNewGuildFinder,
  followGuilds,
  postLogMessage,
  jobs: [
    jobEntry(purgeServer, purgeServerJob),
    jobEntry(refreshServer, refreshServerJob),
    jobEntry(refreshServers, refreshServersJob),
  ],
  purgeServer: [purgeRestoredIds],
};
