import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTalkFixture } from '../../../../test/harness/restores/talk.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { type JobWorker, startJobWorker } from '../../../../test/harness/workers/job-worker.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';

const size = { channels: 5, messages: 90, threadMessages: 10 };
const masterKeys = generateMasterKey();

let simulator: TestSimulator;
let service: TestService;
let talk: Awaited<ReturnType<typeof createTalkFixture>>;
const workers: JobWorker[] = [];
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({
    ...{ ring: parseKeyRing(masterKeys), platformApiUrl: simulator.apiUrl },
    doesWork: ['backups.run'],
  });
  talk = await createTalkFixture(service, simulator, size);
});
afterAll(async () => {
  for (const worker of workers) await worker.end();
  await service.stop();
  await simulator.stop();
});

/** Under the name of the one before, so that it goes on at once with what that one left. */
const startWorker = async () => {
  const worker = await startJobWorker({
    ...{ DATABASE_URL: service.databaseUrl, MASTER_KEYS: masterKeys, DATA_DIR: service.dataDir },
    ...{ PLATFORM_API_URL: simulator.apiUrl, WORKER_ID: 'the-only-one' },
    ...{ LEASE_TIMES: '{}', CALLS_PER_SECOND: '100000' },
  });
  workers.push(worker);
  return worker;
};

const post = { method: 'POST', route: '/webhooks/:id/:id' };
/** Each worker dies at the nth of these calls that it makes. */
const deaths = [
  { match: { method: 'POST', route: '/channels/:id/webhooks' }, nth: 2, when: 'afterApply' },
  { match: post, nth: 41, when: 'afterApply' },
  { match: { method: 'POST', route: '/channels/:id/threads' }, nth: 1, when: 'afterApply' },
  { match: post, nth: 5, when: 'before' },
  { match: post, nth: 8, when: 'afterAnswer' },
  {
    match: { method: 'PUT', route: '/channels/:id/messages/pins/:id' },
    nth: 5,
    when: 'afterApply',
  },
];

test('a process that posts five hundred messages is killed again and again: none is doubled, lost or out of order', async () => {
  const { owner, target } = await talk.beginRestore();
  for (const death of deaths) {
    const { pid, exited } = await startWorker();
    await simulator.control('POST', '/faults', { ...death, action: 'kill', pid });
    expect(await exited).toBe(137);
  }
  await startWorker();
  await talk.expectWhole(target, owner.restoreId);
});
