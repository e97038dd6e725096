import { expect, test } from 'bun:test';
import { createChangeAnnouncer } from './announce-changes.ts';

const newAnnouncer = (times = { pauseMs: 1, sameTopicMs: 60 }) => {
  const sent: [string, string][][] = [];
  const announcer = createChangeAnnouncer(async (payload) => {
    sent.push(JSON.parse(payload));
  }, times);
  return { ...announcer, sent };
};

test('the changes of one transaction are one notification', async () => {
  const { announce, flush, sent } = newAnnouncer();
  announce({ accountId: 'a', topic: 'audit' });
  announce({ accountId: 'a', topic: 'servers:s' });
  announce({ accountId: 'a', topic: 'audit' });
  await flush();
  expect(sent).toEqual([
    [
      ['a', 'audit'],
      ['a', 'servers:s'],
    ],
  ]);
});

test('a job that changes the same thing all the time is told of now and then, and at the end', async () => {
  const { announce, flush, sent } = newAnnouncer({ pauseMs: 1, sameTopicMs: 3_600_000 });
  const progress = { accountId: 'a', topic: 'pulls:s' } as const;
  for (let step = 0; step < 20; step++) {
    announce(progress);
    await Bun.sleep(2);
  }
  expect(sent).toEqual([[['a', 'pulls:s']]]);

  const quick = newAnnouncer();
  quick.announce(progress);
  await Bun.sleep(5);
  quick.announce(progress);
  await quick.flush();
  expect(quick.sent).toHaveLength(2);
  expect(flush).toBeFunction();
});

test('a notification is never longer than PostgreSQL takes', async () => {
  const { announce, flush, sent } = newAnnouncer();
  const id = crypto.randomUUID();
  for (let count = 0; count < 500; count++) {
    announce({ accountId: crypto.randomUUID(), topic: `whitelist:${id}` });
  }
  await flush();
  expect(sent.flat()).toHaveLength(500);
  for (const changes of sent) expect(JSON.stringify(changes).length).toBeLessThan(8000);
});
