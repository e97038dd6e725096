import { setDefaultTimeout, test } from 'bun:test';
import { checkFollowing } from '../../../../test/harness/restores/following.ts';

setDefaultTimeout(1_800_000);

test('no restore opens a channel by way of its category, in thousands of servers', () =>
  checkFollowing({ numRuns: 2000 }));
