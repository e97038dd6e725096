import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import type { AutoRepairDependencies } from '../incidents/repair/auto-repair.ts';
import type { ToContain } from '../queries/containment.ts';
import type { OfIncident } from '../queries/of-incident.ts';
import type { ProtectionMetrics } from './metrics.ts';

export type ContainDependencies = BotDependencies &
  AutoRepairDependencies & {
    clock: Clock;
    log: Log;
    protectionMetrics: ProtectionMetrics;
  };

/** One run of the job for an incident, as its steps need it. */
export type Containment = {
  dependencies: ContainDependencies;
  owner: OfIncident;
  incident: ToContain;
  run: LeasedRun;
};
