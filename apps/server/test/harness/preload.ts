import { afterAll, beforeAll, beforeEach, setDefaultTimeout } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { removeSharedDataDir } from './data-dir.ts';
import { stopTestDatabase } from './database.ts';
import { testMs } from './eventually.ts';

// The service's log lines are not printed; tests read them where they matter.
process.env.NODE_ENV = 'test';

// Of a process that runs several files this is for the first; the others have what `run-all.ts` passes.
setDefaultTimeout(testMs);

// No test draws its seed: what is found is found each time. Another one is given by hand.
fc.configureGlobal({ seed: Number(process.env.HOLDFAST_TEST_SEED ?? 1) });

const running = process.env.HOLDFAST_TEST_RUNNING;
beforeAll(() => {
  if (running) writeFileSync(join(running, String(process.pid)), Bun.main);
  noteBegin();
});
beforeEach(noteBegin);

/** For `eventually`, which ends before the test does. */
function noteBegin(): void {
  (globalThis as { holdfastTestBeganAt?: number }).holdfastTestBeganAt = performance.now();
}

// Read here rather than imported: most tests need no simulator.
type SharedSimulator = {
  checkTraffic(): Promise<void>;
  control(method: string, path: string): Promise<unknown>;
};
const shared = globalThis as { holdfastSimulator?: Promise<SharedSimulator> };
afterAll(async () => {
  const simulator = await shared.holdfastSimulator;
  // The next file in this process finds none of its faults.
  await simulator?.control('DELETE', '/faults');
  await simulator?.checkTraffic();
});
afterAll(stopTestDatabase);
afterAll(removeSharedDataDir);
