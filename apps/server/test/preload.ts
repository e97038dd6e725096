import { afterAll } from 'bun:test';
import { removeSharedDataDir } from './data-dir.ts';
import { stopTestDatabase } from './database.ts';

// Tests are silent about what the service logs; they read it where it matters.
process.env.NODE_ENV = 'test';

afterAll(stopTestDatabase, 30_000);
afterAll(removeSharedDataDir);
