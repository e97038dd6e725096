import { setDefaultTimeout, test } from 'bun:test';
import { repairProperties } from '../../../../test/harness/restores/repair-properties.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

const options = { numRuns: 50, size: { channels: 12, roles: 6 } };

for (const [name, check] of repairProperties) test(name, () => check(options));
