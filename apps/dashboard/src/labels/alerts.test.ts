import { expect, test } from 'bun:test';
import { alertKinds, mostUnreadCounted } from '@holdfast/contract';
import { alertLabels, formatUnread, hasChannel, noLogChannelTitle, pathOfAlert } from './alerts.ts';
import { keysOf } from './format.ts';

test('every kind of alert can be set', () => {
  expect(keysOf(alertLabels).toSorted()).toEqual([...alertKinds].toSorted());
});

test('an alert leads to a page of the dashboard', () => {
  expect(pathOfAlert('/dashboard/servers/1/backups/2')).toBe('/servers/1/backups/2');
  expect(pathOfAlert('/dashboard')).toBe('/');
});

test('servers without a log channel are counted', () => {
  expect(noLogChannelTitle(1)).toBe('One server has no log channel');
  expect(noLogChannelTitle(2)).toBe('2 servers have no log channel');
});

test('the bell counts up to 99', () => {
  expect([1, 99, mostUnreadCounted].map(formatUnread)).toEqual(['1', '99', '99+']);
});

test('what is about no server is told in no log channel', () => {
  const others = alertKinds.filter((kind) => !hasChannel(kind));
  expect(others).toEqual(['BOT_REFUSED', 'PAYMENT_FAILED', 'ORDER_SOLD']);
});
