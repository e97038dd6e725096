import { type DashboardEndpoints, planNames } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { PlanTable } from './rules.ts';

export const planDashboardHandlers = ({
  limitsOf,
}: PlanTable): Handlers<Pick<DashboardEndpoints, 'listPlans'>> => ({
  listPlans: async () => planNames.map((name) => ({ name, ...limitsOf(name) })),
});
