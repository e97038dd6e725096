import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  createKillFixture,
  moments,
} from '../../../../test/harness/restores/kill-while-posting.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run'] });
}, 30_000);
afterAll(() => service.stop());

test('a worker may die at every call while it posts: nothing is doubled, lost or out of order', async () => {
  const { restoreWithDeath } = await createKillFixture(service, await sharedSimulator());
  let deaths = 0;
  for (let atCall = 1; ; atCall++) {
    const died = await Promise.all(moments.map((moment) => restoreWithDeath({ atCall, moment })));
    deaths += died.filter(Boolean).length;
    if (!died.some(Boolean)) break;
  }
  expect(deaths).toBeGreaterThan(60);
}, 1_800_000);
