import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { hasActiveRestore } from '../../restores/queries/restores.ts';
import { endIncident, type IncidentRow, lockIncident } from '../queries/incidents.ts';
import { wantRolesBack } from '../queries/returns.ts';
import { decideWave } from '../raid/decide-wave.ts';
import { endWait } from './repair/wait.ts';
import { returnRolesLater } from './return-roles.ts';

type Dependencies = { queue: Pick<Queue, 'enqueue'> };
type OfAccount = { accountId: string; incidentId: string };

const lock = async (tx: Transaction, owner: OfAccount): Promise<IncidentRow> => {
  const incident = await lockIncident(tx, owner);
  if (!incident) throw notFound('Incident');
  return incident;
};

/** Has everything given back that was taken from people, at most once. */
export const returnRoles = async (
  tx: Transaction,
  { queue }: Dependencies,
  owner: OfAccount,
  actor: Actor,
): Promise<IncidentRow> => {
  const incident = await lock(tx, owner);
  if (incident.status === 'open') throw conflict('The incident is not contained yet');
  const people = await wantRolesBack(tx, owner.incidentId);
  if (people === 0) throw conflict('No roles were taken that are not given back already');
  await returnRolesLater(tx, queue, owner, { isOpen: false });
  await recordAudit(tx, {
    ...{ accountId: owner.accountId, actor, action: 'incident.return_roles' },
    subject: { type: 'incident', id: owner.incidentId },
    changes: { serverId: incident.serverId, people },
  });
  return incident;
};

/** Ends an incident that was honest work. Of a raid, everybody who is held is kept. */
export const dismissIncident = async (
  tx: Transaction,
  { queue }: Dependencies,
  owner: OfAccount,
  actor: Actor,
): Promise<IncidentRow> => {
  const incident = await lock(tx, owner);
  if (incident.endedAt !== null) throw conflict(`The incident is ${incident.status} already`);
  if (incident.repairRestoreId !== null && (await hasActiveRestore(tx, incident))) {
    throw conflict(
      'The incident is being repaired: wait until its restore has ended, or cancel it',
    );
  }
  if (
    incident.kind === 'RAID' &&
    !(await decideWave(tx, queue, { ...incident, ...owner }, 'KEEP'))
  ) {
    throw conflict('The newcomers of the raid are being removed');
  }
  const people = await wantRolesBack(tx, owner.incidentId);
  if (people > 0) await returnRolesLater(tx, queue, owner, { isOpen: incident.status === 'open' });
  await endWait(tx, owner, 'failed');
  const dismissed = await endIncident(tx, owner, 'dismissed');
  await recordAudit(tx, {
    ...{ accountId: owner.accountId, actor, action: 'incident.dismiss' },
    subject: { type: 'incident', id: owner.incidentId },
    changes: { serverId: incident.serverId, people },
  });
  return dismissed;
};
