import { afterAll } from 'bun:test';
import { removeSharedDataDir } from './data-dir.ts';
import { stopTestDatabase } from './database.ts';

// The service's log lines are not printed; tests read them where they matter.
process.env.NODE_ENV = 'test';

// Read here rather than imported: most tests need no simulator.
const shared = globalThis as { holdfastSimulator?: Promise<{ checkTraffic(): Promise<void> }> };
afterAll(async () => (await shared.holdfastSimulator)?.checkTraffic(), 30_000);
afterAll(stopTestDatabase, 30_000);
afterAll(removeSharedDataDir);
