import type { AuditAction } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import { markUnchanged } from '../../../http/audited.ts';
import type { Actor } from '../../../http/handler.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { hasActiveRestore } from '../../restores/queries/restores.ts';
import { readTime } from '../../servers/queries.ts';
import { resumeInvitesLater } from '../contain/queued.ts';
import {
  endIncident,
  type IncidentRow,
  listPending,
  lockIncident,
  setPending,
} from '../queries/incidents.ts';
import { hasRolesToReturn, wantRolesBack } from '../queries/returns.ts';
import { hasGoneOn } from '../queries/since-asked.ts';
import { decideWave } from '../raid/decide-wave.ts';
import { delayDecision } from '../settings/delay-decision.ts';
import { weakenLater } from '../settings/weaken-later.ts';
import type { PendingDecision } from '../table.ts';
import { endWait } from './repair/wait.ts';
import { returnRolesLater } from './return-roles.ts';

/**
 * What can be decided about an incident beside its repair. In the dashboard it takes effect at once. Decided by a
 * key it is pending: the owner can take it back until then. It is about the incident as it was when it was asked
 * for, and is dropped, which the owner is told, if it is not possible any more or the attack has gone on.
 */
type Action = PendingDecision['action'];
type Dependencies = { queue: Pick<Queue, 'enqueue'> };
type OfAccount = { accountId: string; incidentId: string };

/** `askedAt`: when it was asked for, of what waited. */
type Asked = { actor: Actor; askedAt?: Date };

type Decision = {
  /** Why it is not possible as the incident stands. */
  reasonAgainst(tx: Transaction, incident: IncidentRow, asked: Asked): Promise<string | undefined>;
  /** Null where it turns out not to be possible. */
  takeEffect(
    tx: Transaction,
    dependencies: Dependencies,
    incident: IncidentRow,
    asked: Asked,
  ): Promise<IncidentRow | null>;
};

const ownerOf = ({ accountId, id: incidentId }: IncidentRow): OfAccount => ({
  accountId,
  incidentId,
});

const decisions: Record<Action, Decision> = {
  /** Has everything given back that was taken from people, at most once. */
  'return-roles': {
    async reasonAgainst(tx, { id, status }, { askedAt }) {
      if (status === 'open') return 'The incident is not contained yet';
      const isAnyTaken = await hasRolesToReturn(tx, id, askedAt);
      return isAnyTaken ? undefined : 'No roles were taken that are not given back already';
    },
    async takeEffect(tx, { queue }, incident, { actor, askedAt }) {
      const owner = ownerOf(incident);
      const people = await wantRolesBack(tx, incident.id, askedAt);
      await returnRolesLater(tx, queue, owner, { isOpen: false });
      const decided = await setPending(tx, owner, null);
      await audit(tx, incident, { actor, action: 'incident.return_roles' }, { people });
      return decided;
    },
  },
  /** Ends an incident that was honest work. Of a raid, everybody who is held is kept. */
  dismiss: {
    async reasonAgainst(tx, incident, { askedAt }) {
      if (incident.endedAt !== null) return `The incident is ${incident.status} already`;
      if (askedAt && (await hasGoneOn(tx, ownerOf(incident), askedAt))) return 'The attack went on';
      const isRepaired =
        incident.repairRestoreId !== null && (await hasActiveRestore(tx, incident));
      return isRepaired
        ? 'The incident is being repaired: wait until its restore has ended, or cancel it'
        : undefined;
    },
    async takeEffect(tx, { queue }, incident, { actor }) {
      const owner = ownerOf(incident);
      const isRaid = incident.kind === 'RAID';
      if (isRaid && !(await decideWave(tx, queue, { ...incident, ...owner }, 'KEEP'))) return null;
      const people = await wantRolesBack(tx, incident.id);
      const isOpen = incident.status === 'open';
      if (people > 0) await returnRolesLater(tx, queue, owner, { isOpen });
      await endWait(tx, owner, 'failed');
      const dismissed = await endIncident(tx, owner, 'dismissed');
      await resumeInvitesLater(queue, tx, owner);
      await audit(tx, incident, { actor, action: 'incident.dismiss' }, { people });
      return dismissed;
    },
  },
};

const laterActions = {
  dismiss: 'incident.dismiss_later',
  'return-roles': 'incident.return_roles_later',
} as const satisfies Record<Action, AuditAction>;

const audit = (
  tx: Transaction,
  { accountId, id, serverId }: IncidentRow,
  done: { actor: Actor; action: AuditAction },
  changes: Record<string, unknown>,
): Promise<void> =>
  recordAudit(tx, {
    ...{ accountId, actor: done.actor, action: done.action },
    subject: { type: 'incident', id },
    changes: { serverId, ...changes },
  });

const lock = async (tx: Transaction, owner: OfAccount): Promise<IncidentRow> => {
  const incident = await lockIncident(tx, owner);
  if (!incident) throw notFound('Incident');
  return incident;
};

export const decide = async (
  tx: Transaction,
  dependencies: Dependencies,
  owner: OfAccount,
  { actor, action }: { actor: Actor; action: Action },
): Promise<IncidentRow> => {
  const incident = await lock(tx, owner);
  const { reasonAgainst, takeEffect } = decisions[action];
  const reason = await reasonAgainst(tx, incident, { actor });
  if (reason) throw conflict(reason);
  // What waits already goes on to wait no longer than before.
  if (actor.type === 'KEY' && incident.pending?.action === action) {
    markUnchanged(tx);
    return incident;
  }
  const of = { actor, decided: action, subjectId: incident.id };
  const { accountId, serverId } = incident;
  const delay = await delayDecision(dependencies)(tx, { accountId, serverId }, of);
  if (!delay) {
    const decided = await takeEffect(tx, dependencies, incident, { actor });
    if (!decided) throw conflict('The newcomers of the raid are being removed');
    return decided;
  }
  const at = delay.at.toISOString();
  const askedAt = new Date(delay.at.getTime() - delay.seconds * 1000).toISOString();
  const waiting = await setPending(tx, owner, { action, at, askedAt });
  await weakenLater(tx, dependencies.queue, { accountId, serverId }, delay.seconds);
  await audit(tx, incident, { actor, action: laterActions[action] }, { at });
  return waiting;
};

/** It stays as it is. */
export const takeBack = async (
  tx: Transaction,
  owner: OfAccount,
  actor: Actor,
): Promise<IncidentRow | undefined> => {
  const incident = await lock(tx, owner);
  if (!incident.pending) return undefined;
  const kept = await setPending(tx, owner, null);
  const decided = incident.pending.action;
  await audit(tx, incident, { actor, action: 'incident.take_back' }, { decided });
  return kept;
};

type OfServer = { accountId: string; serverId: string };

/** Lets the decisions about a server's incidents that have waited long enough take effect. */
export const applyDueDecisions = async (
  { db, queue }: Dependencies & { db: Database },
  server: OfServer,
): Promise<void> => {
  for (const owner of await listPending(db, server)) {
    await db.transaction(async (tx) => {
      const incident = await lockIncident(tx, owner);
      // It was taken back, decided otherwise, or has to wait longer.
      if (!incident?.pending || new Date(incident.pending.at) > (await readTime(tx))) return;
      const { action, askedAt } = incident.pending;
      const { reasonAgainst, takeEffect } = decisions[action];
      const asked = { actor: systemActor, askedAt: new Date(askedAt) };
      const isPossible = (await reasonAgainst(tx, incident, asked)) === undefined;
      const decided = isPossible && (await takeEffect(tx, { queue }, incident, asked));
      if (!decided) await drop(tx, { queue }, incident, action);
    });
  }
};

const drop = async (
  tx: Transaction,
  dependencies: Dependencies,
  incident: IncidentRow,
  dropped: Action,
): Promise<void> => {
  const { accountId, serverId, id: incidentId } = incident;
  await setPending(tx, ownerOf(incident), null);
  const facts = { dropped, incidentId };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
  const done = { actor: systemActor, action: 'incident.take_back' } as const;
  await audit(tx, incident, done, { decided: dropped });
};
