import { setDefaultTimeout, test } from 'bun:test';
import { checkFollowing } from '../../../../test/harness/restores/following.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

test('no restore opens a channel by way of its category, at no call and however it is interrupted', () =>
  checkFollowing({ numRuns: 50 }));
