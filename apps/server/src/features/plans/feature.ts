import { planDashboardHandlers } from './routes.ts';

/**
 * Plans: what an account pays for and the limits that come with it. The plans are data of the contract;
 * `rules.ts` makes the table of limits from them and from the operator's file (`queries.ts`).
 */
export const plans = {
  dashboardHandlers: planDashboardHandlers,
};
