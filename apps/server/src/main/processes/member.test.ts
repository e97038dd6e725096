import { expect, test } from 'bun:test';
import { createLog } from '../../kernel/log.ts';
import { createMember } from './member.ts';

test('a place that is to be filled after the service was told to stop is given up, not waited for', async () => {
  const member = createMember({
    ...{ place: 0, memoryFd: -1, log: createLog({ write: () => undefined }) },
    stopping: AbortSignal.abort(),
    beginOf: () => expect.unreachable(),
    readMetrics: async () => '',
    onEnded: () => expect.unreachable(),
    onFailing: () => expect.unreachable(),
  });
  const failure = await member.start().then(String, (error) => error.message);
  expect(failure).toBe('The service was told to stop');
  await member.ended();
  expect(member.isServing()).toBe(false);
});
