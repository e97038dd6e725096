import { expect, test } from 'bun:test';
import { nextStep, type SetupFacts, setupSteps } from './setup-steps.ts';

const server: NonNullable<SetupFacts['server']> = {
  id: 's1',
  ...{ hasVerifiedRole: true, hasPostedPanel: true, hasSchedule: true },
  ...{ hasBackup: true, hasLogChannel: true },
};

const openKeys = (facts: SetupFacts) =>
  setupSteps(facts)
    .filter(({ isDone }) => !isDone)
    .map(({ key }) => key);

test('an empty account begins with the bot, and what needs a server leads nowhere yet', () => {
  const steps = setupSteps({ hasBot: false, server: undefined });
  expect(openKeys({ hasBot: false, server: undefined })).toHaveLength(steps.length);
  expect(nextStep(steps)?.key).toBe('bot');
  const waiting = steps.filter(({ to }) => to === undefined).map(({ key }) => key);
  expect(waiting).toEqual(['role', 'panel', 'schedule', 'backup', 'alerts']);
});

test('each step is done by what is true, and by nothing else', () => {
  expect(openKeys({ hasBot: true, server })).toEqual([]);
  expect(openKeys({ hasBot: true, server: { ...server, hasPostedPanel: false } })).toEqual([
    'panel',
  ]);
  expect(openKeys({ hasBot: true, server: { ...server, hasSchedule: false } })).toEqual([
    'schedule',
  ]);
  expect(nextStep(setupSteps({ hasBot: true, server: undefined }))?.key).toBe('server');
  expect(nextStep(setupSteps({ hasBot: true, server }))).toBeUndefined();
});
