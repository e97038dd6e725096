/** Writes the payloads of the release that is being made, for the tests of the next one. */
import { join } from 'node:path';
import { payloadSchemas } from './payload-schemas.ts';

const lines = Object.entries(payloadSchemas()).map(
  ([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
);
const file = join(import.meta.dir, '../../migrations/job-payloads.json');
await Bun.write(file, `{\n${lines.join(',\n')}\n}\n`);
