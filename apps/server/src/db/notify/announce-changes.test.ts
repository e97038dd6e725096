import { expect, test } from 'bun:test';
import { createChangeAnnouncer } from './announce-changes.ts';

const newAnnouncer = ({ sameTopicMs = 60, failures = 0 } = {}) => {
  const sent: [string, string][][] = [];
  let failed = 0;
  const send = async (payload: string) => {
    if (failed++ < failures) throw new Error('The database does not answer');
    sent.push(JSON.parse(payload));
  };
  const announcer = createChangeAnnouncer(send, { pauseMs: 1, retryMs: 1, sameTopicMs });
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

test('a job that changes the same thing all the time is told of once in a while', async () => {
  const sameTopicMs = 100;
  const { announce, flush, sent } = newAnnouncer({ sameTopicMs });
  const startedAt = performance.now();
  for (let step = 0; step < 60; step++) {
    announce({ accountId: 'a', topic: 'pulls:s' });
    await Bun.sleep(2);
  }
  await flush();
  const tookMs = performance.now() - startedAt;
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThanOrEqual(Math.ceil(tookMs / sameTopicMs) + 1);
});

test('the last change is told of, however soon it follows another', async () => {
  const { announce, flush, sent } = newAnnouncer();
  announce({ accountId: 'a', topic: 'pulls:s' });
  await Bun.sleep(5);
  expect(sent).toHaveLength(1);
  announce({ accountId: 'a', topic: 'pulls:s' });
  await flush();
  expect(sent).toHaveLength(2);
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

test('a notification that fails is sent again', async () => {
  const { announce, flush, sent } = newAnnouncer({ failures: 2 });
  announce({ accountId: 'a', topic: 'servers:s' });
  await flush();
  expect(sent).toEqual([[['a', 'servers:s']]]);
});

test('while the database does not answer for long, changes are not collected for ever', async () => {
  const { announce, flush, sent } = newAnnouncer({ failures: 1000 });
  announce({ accountId: 'a', topic: 'servers:s' });
  await flush();
  expect(sent).toEqual([]);
});
