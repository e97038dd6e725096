import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../../http/handler.ts';
import { notFound } from '../../../kernel/errors.ts';
import { describeLost, lostBy } from '../../restores/undo/treatments.ts';
import {
  findCourse,
  groupActs,
  listActs,
  listChangedFields,
  listExecutorStates,
  listSteps,
} from '../queries/course.ts';
import { changesOf } from './describe-act.ts';
import { withNotStopped } from './describe-incidents.ts';

type Views = Pick<DashboardEndpoints, 'getIncidentCourse' | 'listIncidentActs'>;

export const incidentViewHandlers: Handlers<Views> = {
  async getIncidentCourse(db, { account: { accountId }, params: { id: incidentId } }) {
    const owner = { accountId, incidentId };
    const course = await findCourse(db, owner);
    if (!course) throw notFound('Incident');
    const [executors, groups, steps] = [
      await listExecutorStates(db, incidentId),
      await groupActs(db, owner),
      await listSteps(db, incidentId),
    ];
    const fields = await listChangedFields(db, owner);
    const actions = groups.map(({ action }) => ({ action, key: null }));
    const notBroughtBack = lostBy([...actions, ...fields]).map(describeLost);
    return {
      ...{ ...course, groups, notBroughtBack },
      executors: executors.map(withNotStopped),
      steps: steps.map(toStep),
    };
  },

  async listIncidentActs(db, { account: { accountId }, params: { id: incidentId }, query }) {
    const owner = { accountId, incidentId };
    if (!(await findCourse(db, owner))) throw notFound('Incident');
    const { rows, total } = await listActs(db, owner, query);
    return { rows: rows.map((row) => ({ ...row, changes: changesOf(row) })), total };
  },
};

type StepRow = Awaited<ReturnType<typeof listSteps>>[number];

/** Of what the journal keeps for the containment, only what a reader needs. */
const toStep = ({ detail, ...step }: StepRow) => ({
  ...step,
  code: typeof detail.code === 'string' ? detail.code : null,
  isKicked: detail.isKicked === true,
});
