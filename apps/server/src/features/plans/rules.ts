import { defaultPlans, type Plan, type PlanName, type Plans } from '@holdfast/contract';

export type PlanTable = { limitsOf(plan: PlanName): Plan };

/** The contract's plans, with the limits that the operator's file changes. */
export const createPlanTable = (plans: Plans = defaultPlans): PlanTable => ({
  limitsOf: (plan) => plans[plan],
});
