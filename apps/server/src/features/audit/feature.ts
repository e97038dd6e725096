import { auditDashboardHandlers, auditHandlers } from './routes.ts';

/**
 * The audit log: every change of an account, as a chain of hashed entries.
 *
 * - `queries.ts`: `recordAudit`, which every feature calls last in the transaction of its change,
 *   and the lists that the API and the dashboard show.
 * - `rules.ts`: what an entry's hash covers, how an entry must follow the one before it, and
 *   `systemActor`, the actor of jobs and of the operator.
 * - `chain/`: walks a chain to verify it, and removes the contents of a deleted account's entries.
 */
export const audit = {
  handlers: auditHandlers,
  dashboardHandlers: auditDashboardHandlers,
};
