import { expect, test } from 'bun:test';
import type { PullRecord, RestoreRecord } from '../../queries/records.ts';
import { recoveryStageOf, recoverySteps } from './recovery-stage.ts';

const now = Date.parse('2026-05-10T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();

const restore = (status: RestoreRecord['status'], endedMinutesAgo = 5): RestoreRecord => ({
  ...{ id: 'r1', backupId: 'b1', serverId: 's1', mode: 'REPAIR', deleteExtra: false, status },
  ...{ progress: 100, steps: { total: 3, done: 3, failed: 0 }, safetyBackupId: null },
  ...{ resumesAt: null, warnings: [], notes: [], error: null, incidentId: null },
  createdAt: minutesAgo(endedMinutesAgo + 1),
  ...{ startedAt: null, completedAt: minutesAgo(endedMinutesAgo) },
});

const pull = (status: PullRecord['status'], startedMinutesAgo: number): PullRecord => ({
  ...{ id: 'p1', serverId: 's1', targetServerId: 's1', roleId: null, status, progress: 100 },
  ...{ restoreRoles: true, rolesFromBackupId: null, total: 0, processed: 0, etaSeconds: null },
  results: {
    ...{ joined: 0, alreadyMember: 0, banned: 0, guildLimit: 0 },
    ...{ tokenInvalid: 0, blacklisted: 0, withdrawn: 0, failed: 0 },
  },
  ...{ warnings: [], error: null, createdAt: minutesAgo(startedMinutesAgo) },
  ...{ startedAt: null, completedAt: null },
});

const incident = (
  kind: 'NUKE' | 'RAID',
  { openedMinutesAgo, isEnded = false }: { openedMinutesAgo: number; isEnded?: boolean },
) => ({
  ...{ id: 'i1', kind, createdAt: minutesAgo(openedMinutesAgo) },
  endedAt: isEnded ? minutesAgo(0) : null,
});

const known = {
  ...{ health: 'GOOD', restore: undefined, pull: undefined, incidents: [], now },
  ...{ ignoredRestoreId: null, acceptedRestoreId: null },
};

test.each([
  ['nothing was done yet', {}, 'choose'],
  ['a restore runs', { restore: restore('running') }, 'restoring'],
  ['a restore has ended', { restore: restore('completed') }, 'members'],
  ['it ended with exceptions', { restore: restore('partial'), health: 'GOOD' }, 'members'],
  ['it left the server damaged', { restore: restore('partial'), health: 'DAMAGED' }, 'choose'],
  [
    'its owner goes on all the same',
    { restore: restore('partial'), health: 'DAMAGED', acceptedRestoreId: 'r1' },
    'members',
  ],
  ['it failed', { restore: restore('failed') }, 'choose'],
  ['it ended yesterday', { restore: restore('completed', 1500) }, 'choose'],
  ['its owner begins again', { restore: restore('completed'), ignoredRestoreId: 'r1' }, 'choose'],
  [
    'its end is not seen in the health yet',
    { restore: restore('completed', 0.1), health: 'DAMAGED' },
    'members',
  ],
  ['it was damaged again since', { restore: restore('completed'), health: 'DAMAGED' }, 'choose'],
  ['it was lost since', { restore: restore('completed'), health: 'LOST' }, 'choose'],
  [
    'an attack is open since',
    { restore: restore('completed', 5), incidents: [incident('NUKE', { openedMinutesAgo: 2 })] },
    'choose',
  ],
  [
    'an attack is open since, also after members were brought back',
    {
      ...{ restore: restore('completed', 5), pull: pull('completed', 3) },
      incidents: [incident('NUKE', { openedMinutesAgo: 2 })],
    },
    'choose',
  ],
  [
    'the attack was before the restore',
    { restore: restore('completed', 5), incidents: [incident('NUKE', { openedMinutesAgo: 9 })] },
    'members',
  ],
  [
    'an attack since has ended',
    {
      restore: restore('completed', 5),
      incidents: [incident('NUKE', { openedMinutesAgo: 2, isEnded: true })],
    },
    'members',
  ],
  [
    'a raid is open since',
    { restore: restore('completed', 5), incidents: [incident('RAID', { openedMinutesAgo: 2 })] },
    'members',
  ],
  ['a pull runs after it', { restore: restore('completed'), pull: pull('running', 1) }, 'bringing'],
  ['it has ended too', { restore: restore('completed'), pull: pull('completed', 1) }, 'done'],
  [
    'the last pull was before the restore',
    { restore: restore('completed'), pull: pull('completed', 90) },
    'members',
  ],
] satisfies [string, Partial<Parameters<typeof recoveryStageOf>[0]>, string][])(
  'where %s, the recovery goes on there',
  (_, more, name) => {
    const stage = recoveryStageOf({ ...known, ...more } as Parameters<typeof recoveryStageOf>[0]);
    expect(stage.name).toBe(name as typeof stage.name);
  },
);

test('the steps show what is done and what is to come', () => {
  const states = recoverySteps({ name: 'members', restore: restore('completed') });
  expect(states.map(({ state }) => state)).toEqual(['done', 'done', 'current', 'ahead']);
});
