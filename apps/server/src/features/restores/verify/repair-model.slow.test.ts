// Takes about 110 s: started before shorter ones.
import { setDefaultTimeout, test } from 'bun:test';
import { repairProperties } from '../../../../test/harness/restores/repair-properties.ts';

setDefaultTimeout(1_800_000);

const many = { numRuns: 3000, size: { channels: 12, roles: 6 } };
const large = { numRuns: 200, size: { channels: 60, roles: 20 } };

for (const [name, check] of repairProperties) {
  test(`${name}, in thousands of servers`, () => check(many));
  test(`${name}, in large servers`, () => check(large));
}
