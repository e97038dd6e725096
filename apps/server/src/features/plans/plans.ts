import {
  defaultPlans,
  overridePlans,
  type Plan,
  type PlanName,
  type Plans,
} from '@holdfast/contract';

export type PlanTable = { limitsOf(plan: PlanName): Plan };

/** The contract's table, with the cells that the operator's file changes. */
export const createPlanTable = (plans: Plans = defaultPlans): PlanTable => ({
  limitsOf: (plan) => plans[plan],
});

export const readPlansFile = async (path: string): Promise<Plans> => {
  try {
    return overridePlans(await Bun.file(path).json());
  } catch (error) {
    throw new Error(`PLANS_FILE ${path} cannot be used: ${String(error)}`);
  }
};
