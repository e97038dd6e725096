import type { DrillOutcome } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { SimulatorUnavailable } from '../../../integrations/simulator/private-simulator.ts';
import type { Aside } from '../../../kernel/aside.ts';
import type { Log } from '../../../kernel/log.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { modeFor } from '../../backups/snapshot/large.ts';
import { countMembers } from '../../members/queries/list.ts';
import { findStoredSettings } from '../../protection/queries/settings.ts';
import { completeSettings } from '../../protection/rules.ts';
import { planCopyTask } from '../copy/plan-copy-task.ts';
import { readSource } from '../copy/read-source.ts';
import { beginDrill, type DrillEnd, type DrillOwner, endDrill } from '../queries.ts';
import { outcomeOfLimit } from '../rules.ts';
import type { DrillResult } from '../table.ts';
import { rehearse } from './rehearse.ts';

export type DrillDependencies = {
  db: Database;
  ring: KeyRing;
  blobs: SealedBlobs;
  aside: Pick<Aside, 'run'>;
  log: Log;
  /** Whether the operator lets workers start simulators. */
  runsDrills: boolean;
};

type Begun = NonNullable<Awaited<ReturnType<typeof beginDrill>>>;

const longestMs = 3 * 60 * 1000;

/** From the beginning, also where another worker died in it: it left nothing. */
export const runDrill = async (
  dependencies: DrillDependencies,
  owner: DrillOwner,
  { signal, lease }: LeasedRun,
): Promise<void> => {
  const { db } = dependencies;
  const drill = await lease.transaction(db, (tx) => beginDrill(tx, owner));
  if (!drill) return;
  const end = await findEnd(dependencies, drill, signal);
  await lease.transaction(db, async (tx) => {
    if (!(await endDrill(tx, { ...drill, ...owner }, end))) return;
    const outcome = end.status === 'completed' ? end.result.outcome : null;
    await recordAudit(tx, {
      ...{ accountId: owner.accountId, actor: systemActor, action: 'drill.end' },
      subject: { type: 'drill', id: owner.drillId },
      changes: { serverId: drill.serverId, status: end.status, outcome },
    });
  });
};

const findEnd = async (
  dependencies: DrillDependencies,
  drill: Begun,
  signal: AbortSignal,
): Promise<DrillEnd> => {
  if (!dependencies.runsDrills) return { status: 'failed', error: 'NOT_ENABLED' };
  const late = AbortSignal.timeout(longestMs);
  try {
    const inTime = AbortSignal.any([signal, late]);
    return { status: 'completed', result: await findResult(dependencies, drill, inTime) };
  } catch (error) {
    signal.throwIfAborted();
    if (isDatabaseFailure(error)) throw error;
    dependencies.log.warn({ err: error, serverId: drill.serverId }, 'a fire drill failed');
    if (late.aborted) return { status: 'failed', error: 'TOOK_TOO_LONG' };
    const isUnavailable = error instanceof SimulatorUnavailable;
    return { status: 'failed', error: isUnavailable ? 'SIMULATOR_UNAVAILABLE' : 'FAILED' };
  }
};

const findResult = async (
  dependencies: DrillDependencies,
  drill: Begun,
  signal: AbortSignal,
): Promise<DrillResult> => {
  const { db, aside } = dependencies;
  const { accountId, serverId, antiNukeEnabled, clientId } = drill;
  const counted = await countMembers(db, { id: serverId, accountId });
  const people = { membersReachable: counted.pullableMembers, membersTotal: counted.members };
  const without = (outcome: DrillOutcome) => ({ outcome, figures: null, ...people });
  if (!antiNukeEnabled) return without('SWITCHED_OFF');
  const source = clientId && (await readSource(dependencies, { accountId, serverId, clientId }));
  if (!source) return without('NO_GOOD_BACKUP');
  const { snapshot, bot } = source;
  const by = { accountId, mode: modeFor(snapshot), waits: 'job' } as const;
  const copy = await aside.run(planCopyTask, { snapshot }, { bot }, by);
  if (copy.cannotStop !== null) return without(outcomeOfLimit(copy.cannotStop));
  if (copy.targets.channelIds.length + copy.targets.roleIds.length === 0) {
    return without('NOTHING_TO_DESTROY');
  }
  const stored = await findStoredSettings(db, { accountId, serverId });
  const { thresholds, trusted } = completeSettings(
    { antiNukeEnabled, antiRaidEnabled: false },
    stored,
  );
  const guard = { thresholds, trusted: new Set(trusted.map(({ platformId }) => platformId)) };
  return {
    ...(await rehearse({ aside, accountId, copy, guard, signal })),
    ...people,
  };
};
