import type { DashboardEndpoints } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import type { Handlers } from '../../../http/handler.ts';
import { conflict, notFound } from '../../../kernel/errors.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { accountCreatedAt } from '../../verification/rules.ts';
import { lockIncident } from '../queries/incidents.ts';
import { decideWave } from './decide-wave.ts';
import { countByStatus, findWave, listNewcomers } from './queries/review.ts';
import type { OfWave } from './queries/waves.ts';

type WaveEndpoints = Pick<DashboardEndpoints, 'getWave' | 'listNewcomers' | 'decideWave'>;

export const waveHandlers = ({
  queue,
}: {
  queue: Pick<Queue, 'enqueue'>;
}): Handlers<WaveEndpoints> => ({
  getWave: (db, { account: { accountId }, params }) =>
    describeWave(db, { accountId, incidentId: params.id }),

  async listNewcomers(db, { account: { accountId }, params, query }) {
    const owner = { accountId, incidentId: params.id };
    await requireWave(db, owner);
    const { rows, total } = await listNewcomers(db, owner, query);
    const described = rows.map(({ platformId, ...newcomer }) => ({
      ...{ ...newcomer, id: platformId },
      accountCreatedAt: accountCreatedAt(platformId) ?? null,
    }));
    return { rows: described, total };
  },

  async decideWave(tx, { account: { accountId }, actor, params, body: { decision } }) {
    const owner = { accountId, incidentId: params.id };
    const incident = await lockIncident(tx, owner);
    const { serverId } = await requireWave(tx, owner);
    if (!incident || incident.endedAt !== null) throw conflict('The incident has ended');
    if (!(await decideWave(tx, queue, { ...owner, serverId }, decision))) {
      throw conflict('It is decided already');
    }
    await recordAudit(tx, {
      ...{ accountId, actor, action: 'incident.review' },
      subject: { type: 'incident', id: owner.incidentId },
      changes: { serverId, decision },
    });
    return describeWave(tx, owner);
  },
});

const requireWave = async (db: Queryable, owner: OfWave) => {
  const wave = await findWave(db, owner);
  if (!wave) throw notFound('Incident');
  return wave;
};

const describeWave = async (db: Queryable, owner: OfWave) => {
  const wave = await requireWave(db, owner);
  return { ...wave, counts: await countByStatus(db, owner) };
};
