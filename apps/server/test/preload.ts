import { afterAll } from 'bun:test';
import { stopTestDatabase } from './database.ts';

// Tests are silent about what the service logs; they read it where it matters.
process.env.NODE_ENV = 'test';

afterAll(stopTestDatabase, 30_000);
