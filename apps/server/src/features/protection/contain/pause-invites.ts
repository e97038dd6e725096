import type { Database, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { lockToContain, storeProgress } from '../queries/containment.ts';
import { listMadePauses } from '../queries/invites.ts';
import type { OfIncident } from '../queries/of-incident.ts';
import { beginStep, endStep, findLastStep, noteDetail } from '../queries/steps.ts';
import { ownersPause } from './owners-pause.ts';

/** The platform's longest is 24 hours, and its clock may be behind ours. */
const pauseForMs = (24 * 60 - 5) * 60 * 1000;

type Dependencies = { db: Database; clock: Clock };
type Incident = OfIncident & { serverId: string };

/**
 * Nobody comes in by an invite while an attack is dealt with. What the owner had set is noted before the
 * call, so that it is so again afterwards. Safe to run again; failures that pass are thrown.
 */
export const pauseInvites = async (
  dependencies: Dependencies,
  incident: Incident,
  { lease }: LeasedRun,
  { guild, inEffect }: { guild: GuildPlatform; inEffect: Date | undefined },
): Promise<void> => {
  const { db } = dependencies;
  const begun = await lease.transaction(db, (tx) =>
    beginPause(tx, dependencies, incident, inEffect),
  );
  if (!begun) return;
  const { seq, until } = begun;
  const refusal = await guild.pauseInvites(until).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof PlatformFailure && !isPassing(error)) return error;
      throw error;
    },
  );
  await lease.transaction(db, async (tx) => {
    // Also where the incident ended meanwhile, and was resumed before the call came through.
    await storeProgress(tx, incident, { invitesPausedUntil: refusal ? null : until });
    await endStep(tx, incident, {
      ...{ seq, status: refusal ? 'failed' : 'done' },
      ...(refusal && { detail: { code: refusal.kind } }),
    });
  });
};

/** Undefined where they are paused already, or the incident has ended. */
const beginPause = async (
  tx: Transaction,
  { clock }: Dependencies,
  incident: Incident,
  inEffect: Date | undefined,
): Promise<{ seq: number; until: Date } | undefined> => {
  if (!(await lockToContain(tx, incident))) return undefined;
  const last = await findLastStep(tx, incident, 'PAUSE_INVITES');
  if (last?.status === 'done') return undefined;
  const now = clock.now();
  const before = ownersPause(inEffect, await listMadePauses(tx, incident), now);
  const begun = last?.status === 'begun' ? last : undefined;
  // What a run that did not come to its end may have set already is set again.
  const ours = begun ? new Date(String(begun.detail.until)) : new Date(now.getTime() + pauseForMs);
  const until = before && before > ours ? before : ours;
  const detail = { before: before?.toISOString() ?? null, until: until.toISOString() };
  // Stored before the call, so that it is ended with the incident whatever happens now.
  await storeProgress(tx, incident, { invitesPausedUntil: until });
  if (begun) await noteDetail(tx, incident, { seq: begun.seq, detail });
  const seq = begun?.seq ?? (await beginStep(tx, incident, { kind: 'PAUSE_INVITES', detail }));
  return { seq, until };
};
