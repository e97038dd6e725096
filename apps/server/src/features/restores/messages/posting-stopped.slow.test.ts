import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  createKillFixture,
  type Death,
} from '../../../../test/harness/restores/kill-while-posting.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';

let service: TestService;
let fixture: Awaited<ReturnType<typeof createKillFixture>>;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run'] });
  fixture = await createKillFixture(service, await sharedSimulator());
});
afterAll(() => service.stop());

/** `posting-killed.slow.test.ts` kills a process of its own at some more. */
test.each<Death>([
  { atCall: 1, moment: 'afterApply' },
  { atCall: 4, moment: 'before' },
  { atCall: 6, moment: 'afterApply' },
  { atCall: 7, moment: 'afterAnswer' },
  { atCall: 12, moment: 'afterApply' },
  { atCall: 15, moment: 'afterApply' },
])(
  'a worker that dies $moment of call $atCall while it posts is taken over without a trace',
  async (death) => {
    expect(await fixture.restoreWithDeath(death)).toBe(true);
  },
  30_000,
);
