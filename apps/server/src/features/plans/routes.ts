import { type DashboardEndpoints, planNames } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { PlanTable } from './plans.ts';

export const planHandlers = ({
  limitsOf,
}: PlanTable): Handlers<Pick<DashboardEndpoints, 'listPlans'>> => ({
  listPlans: async () => planNames.map((name) => ({ name, ...limitsOf(name) })),
});
