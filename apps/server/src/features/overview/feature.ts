import { accountHandlers, overviewHandlers } from './routes.ts';

/**
 * Summaries that read the tables of many features and write none: `GET /account` with its plan, counts and
 * limits, and the dashboard's status of all servers. The queries are in `queries/account.ts` and
 * `queries/servers.ts`, what is derived from their rows in `rules.ts`.
 */
export const overview = {
  handlers: accountHandlers,
  dashboardHandlers: overviewHandlers,
};
