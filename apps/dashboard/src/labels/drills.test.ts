import { describe, expect, test } from 'bun:test';
import type { Drill } from '../queries/records.ts';
import { drillResult, measuresOf } from './drills.ts';

const drill: Drill = {
  ...{ id: 'd', serverId: 's', status: 'completed', isScheduled: false, outcome: 'STOPPED' },
  detail: 'The attacker was noticed and stopped.',
  figures: {
    ...{ objects: 30, objectsLost: 4, detectedAfterMs: 136, stoppedAfterMs: 259 },
    ...{ repairedAfterMs: 12_400, differences: 0 },
  },
  ...{ membersReachable: 90, membersTotal: 120, createdAt: '', completedAt: '' },
};

describe('a fire drill', () => {
  test('is told by what was measured', () => {
    const values = measuresOf(drill).map(({ value }) => value);
    expect(values).toEqual(['0.1 s', '0.3 s', '4 of 30', '12 s', '0', '75%']);
  });

  test('without an attack tells only of members', () => {
    expect(measuresOf({ ...drill, figures: null })).toHaveLength(1);
    expect(measuresOf({ ...drill, figures: null, membersTotal: 0 })).toEqual([]);
    expect(drillResult({ outcome: 'NO_GOOD_BACKUP' })).toBe('No good backup');
  });
});
