import type { Plan, PlanName } from '@holdfast/contract';
import type { Clock } from '../../kernel/clock.ts';
import type { Queue } from '../../queue/queue.ts';

export type MarketTools = {
  queue: Pick<Queue, 'enqueue'>;
  clock: Clock;
  limitsOf(plan: PlanName): Plan;
};

/** The clock and the workers, as the audit log names them. */
export const system = { type: 'SYSTEM', id: null } as const;
