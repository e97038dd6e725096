import { afterAll, expect, test } from 'bun:test';
import { expectBelow } from '../../../../test/harness/bounds.ts';
import { newChannel, newRole } from '../../../../test/harness/guilds/parts.ts';
import { startAside } from '../../../main/aside/start-aside.ts';
import { planCopyTask } from './plan-copy-task.ts';

const aside = startAside();
afterAll(() => aside.stop());

const roles = Array.from({ length: 200 }, (_, at) =>
  newRole({ id: `${1000 + at}`, name: 'Crew', position: at }),
);
const channels = Array.from({ length: 500 }, (_, at) =>
  newChannel({
    ...{ id: `${5000 + at}`, kind: 'text', name: `room-${at}` },
    overwrites: roles.map(({ id }) => ({ id, kind: 'role', allow: '1024', deny: '2048' })),
  }),
);
const things = { snapshot: { guildId: '1000', roles, channels } };
const how = { bot: { userId: '77', roleIds: ['1199'] } };

test('the copy of a large server is planned by the worker as it would be here, and holds up nobody', async () => {
  const by = { accountId: 'a', waits: 'job' } as const;
  const here = await aside.run(planCopyTask, things, how, { ...by, mode: 'inline' });
  let [longestMs, lastAt] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    [longestMs, lastAt] = [Math.max(longestMs, now - lastAt), now];
  }, 1);
  const there = await aside.run(planCopyTask, things, how, { ...by, mode: 'worker' });
  clearInterval(timer);
  expect(there).toEqual(here);
  expectBelow(longestMs, 100);
});
