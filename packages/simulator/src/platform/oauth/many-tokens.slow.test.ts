// Runs alone: it is about time, memory or the machine.
import { expect, test } from 'bun:test';
import { clientId, startIdentities } from '../../../test/oauth-harness.ts';

test('a pair for each of a hundred thousand users costs little memory', async () => {
  const sim = startIdentities();
  const { tokens } = sim.identities;
  let nextUser = 500_000_000_000_000_000n;
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  const subject = { applicationId: clientId, scopes: ['identify', 'guilds.join'] };
  for (let n = 0; n < 100_000; n += 1)
    tokens.issue({ ...subject, userId: String(nextUser++) }, true);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  await sim.stop();
});
