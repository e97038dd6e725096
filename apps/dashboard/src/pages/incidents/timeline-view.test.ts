import { expect, test } from 'bun:test';
import type { IncidentCourse } from '../../queries/records.ts';
import { timelineOf } from './timeline-view.ts';

const at = (ms: number) => new Date(Date.parse('2026-05-10T12:00:00.000Z') + ms).toISOString();
const step = { executorId: null, status: 'done' as const, code: null, isKicked: false };

const course: IncidentCourse = {
  trigger: { kind: 'channelDeletes', executorId: '1' },
  ...{ firstActAt: at(0), detectedAt: at(900), containedAt: at(1500) },
  ...{ invitesPausedUntil: null, snapshotBackupId: null },
  executors: [],
  groups: [
    {
      ...{ executorId: '1', kind: 'channelDeletes', action: 'channelDeleted', count: 500 },
      ...{ firstAt: at(0), lastAt: at(4000), names: ['rules', 'news'] },
    },
    {
      ...{ executorId: '1', kind: 'bans', action: 'memberBanned', count: 1 },
      ...{ firstAt: at(1200), lastAt: at(1200), names: [] },
    },
  ],
  notBroughtBack: [],
  steps: [
    { ...step, seq: 1, kind: 'STOP_EXECUTOR', executorId: '1', at: at(950), endedAt: at(1000) },
    {
      ...{ ...step, seq: 2, kind: 'PAUSE_INVITES', status: 'failed', code: 'MISSING_PERMISSION' },
      ...{ at: at(1400), endedAt: at(1450) },
    },
  ],
};

test('acts and steps stand in one order, however many acts there are', () => {
  const entries = timelineOf(
    course,
    { kind: 'NUKE', status: 'dismissed', endedAt: at(9000) },
    () => 'stowaway',
  );
  expect(entries.map(({ side, title }) => [side, title])).toEqual([
    ['attack', '\u2068stowaway\u2069 deleted 500 channels in 4 s'],
    ['notice', 'Holdfast noticed it: too many channels were deleted'],
    ['answer', 'Took the dangerous roles of \u2068stowaway\u2069'],
    ['attack', '\u2068stowaway\u2069 banned 1 member'],
    ['failure', 'Invites could not be paused'],
    ['end', 'Dismissed as honest'],
  ]);
  expect(entries[0]?.detail).toBe('\u2068rules\u2069, \u2068news\u2069 and 498 more');
  expect(entries[4]?.detail).toBe('The bot lacks the permission.');
  expect(entries[0]?.acts).toEqual({ executorId: '1', action: 'channelDeleted' });
  expect(entries[3]?.acts).toBeUndefined();
});

test('a raid begins with how many joined', () => {
  const raid = { kind: 'RAID', status: 'contained', endedAt: null } as const;
  const [first] = timelineOf({ ...course, groups: [] }, raid, String, 500);
  expect(first).toMatchObject({ side: 'attack', title: '500 accounts joined' });
});
