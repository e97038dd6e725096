import { Stack } from '@mantine/core';
import { PageHead } from '../../parts/page-head.tsx';
import { CurrentPlan } from './current-plan.tsx';
import { MoneyRecords } from './money-records.tsx';
import { PlanComparison } from './plan-comparison.tsx';

export const Billing = () => (
  <>
    <PageHead
      title="Billing"
      description="Your plan and what it allows, how it is paid for, and every movement of money."
    />
    <Stack gap="lg">
      <CurrentPlan />
      <PlanComparison />
      <MoneyRecords />
    </Stack>
  </>
);
