import { expect, test } from 'bun:test';
import { colorHex, colorNumber, firstPanel, panelProblem, panelStatus } from './panels.ts';

const at = '2026-03-01T12:00:00.000Z';
const now = Date.parse(at);
const panel = { status: 'MISSING', error: null, messageId: null, updatedAt: at } as const;

test('a panel without a message is being posted for a moment, then missing', () => {
  expect(panelStatus(panel, now + 5000).label).toBe('Being posted');
  expect(panelProblem(panel, now + 5000)).toBeUndefined();
  expect(panelStatus(panel, now + 60_000).label).toBe('Not in the channel');
  expect(panelProblem(panel, now + 60_000)).toContain('Newcomers have no button here');
});

test('what the service says about a panel is shown as it is', () => {
  const refused = { ...panel, status: 'FAILED', error: 'The bot needs Embed Links' } as const;
  expect([panelStatus(refused, now).label, panelProblem(refused, now)]).toEqual([
    'Refused',
    'The bot needs Embed Links',
  ]);
  expect(panelProblem({ ...panel, status: 'POSTED', messageId: '1' }, now)).toBeUndefined();
});

test('colours are numbers for the platform and text for people', () => {
  for (const color of [0, 255, 0x0f5f66, 0xffffff]) {
    expect(colorNumber(colorHex(color))).toBe(color);
  }
  expect(colorNumber('#')).toBe(0);
});

test('the longest name of a server fits into the first title', () => {
  expect(firstPanel('x'.repeat(300)).title).toHaveLength(256);
});
