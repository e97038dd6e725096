import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { conflict, drillTooEarly } from '../../kernel/errors.ts';
import type { Queue } from '../../queue/queue.ts';
import { startDrill } from './jobs.ts';
import { findLastAttackAge, listDrills } from './queries.ts';
import { describeDrill, waitAfterDrill } from './rules.ts';

type RouteDependencies = { queue: Pick<Queue, 'enqueue'>; runsDrills: boolean };

export const drillHandlers = (
  dependencies: RouteDependencies,
): Handlers<Pick<DashboardEndpoints, 'listDrills' | 'startDrill'>> => ({
  async listDrills(db, { account: { accountId }, server }) {
    const drills = await listDrills(db, { accountId, serverId: server.id });
    return { isEnabled: dependencies.runsDrills, drills: drills.map(describeDrill) };
  },

  async startDrill(tx, { account: { accountId }, actor, server }) {
    if (!dependencies.runsDrills) throw conflict('This service does no fire drills');
    const owner = { accountId, serverId: server.id };
    const lastAge = await findLastAttackAge(tx, owner);
    const drill = await startDrill(tx, dependencies, { ...owner, actor, isScheduled: false });
    if (!drill) throw conflict('A fire drill of this server is under way');
    const waitSeconds = waitAfterDrill(lastAge);
    if (waitSeconds > 0) throw drillTooEarly(waitSeconds);
    return describeDrill(drill);
  },
});
