import type { RestoreStage } from '@holdfast/contract';
import type { RestoreDetails, RestoreRecord } from '../../queries/records.ts';

export type StageView = {
  stage: RestoreStage | 'prepare';
  state: 'done' | 'active' | 'waiting';
  total: number;
  done: number;
  failed: number;
};

/** The stages of a restore, starting with its preparation: done, current or ahead. */
export const viewStages = (
  status: RestoreRecord['status'],
  stages: RestoreDetails['stages'],
): StageView[] => {
  // The counts may be newer than the status they are shown beside.
  const begun = status === 'queued' || status === 'snapshotting' ? [] : stages;
  const isPlanned = begun.length > 0 || status === 'completed' || status === 'partial';
  const prepare: StageView = {
    ...{ stage: 'prepare', total: 0, done: 0, failed: 0 },
    state: isPlanned ? 'done' : status === 'snapshotting' ? 'active' : 'waiting',
  };
  const at = begun.find(({ total, done, failed }) => done + failed < total);
  const views = begun.map((counted): StageView => {
    const isOver = counted.done + counted.failed >= counted.total;
    const isAt = counted === at && status === 'running';
    return { ...counted, state: isOver ? 'done' : isAt ? 'active' : 'waiting' };
  });
  return [prepare, ...views];
};
