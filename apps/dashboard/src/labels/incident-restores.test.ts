import { expect, test } from 'bun:test';
import { restoredSince } from './incident-restores.ts';

const incident = { id: 'incident', createdAt: '2026-03-01T12:00:00.000Z' };
const later = '2026-03-01T13:00:00.000Z';
const restore = {
  ...{ id: 'restore', incidentId: null, createdAt: later, completedAt: later },
  status: 'completed' as const,
};

test('a restore that ended after an incident is found, but not its own repair', () => {
  const earlier = { ...restore, createdAt: '2026-03-01T11:00:00.000Z' };
  const failed = { ...restore, status: 'failed' as const };
  expect(restoredSince(incident, [failed, restore, earlier])).toBe(restore);
  expect(restoredSince(incident, [earlier])).toBeUndefined();
  expect(restoredSince(incident, [{ ...restore, incidentId: incident.id }])).toBeUndefined();
});
