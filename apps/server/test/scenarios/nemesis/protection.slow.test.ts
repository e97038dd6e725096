// Takes about 80 s: started before shorter ones.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { stopServices } from '../../harness/running-service.ts';
import type { KillPoint } from '../../nemesis/lane/kill.ts';
import { type Outcome, summarize } from '../../nemesis/outcome.ts';
import { runProtection } from '../../nemesis/protection/run.ts';
import { openProtectionSetup, type ProtectionSetup } from '../../nemesis/protection/setup.ts';

/** A sample; `npm run nemesis -- protection` kills at every point there is. */

let setup: ProtectionSetup;
beforeAll(async () => {
  setup = await openProtectionSetup();
}, 240_000);
afterAll(async () => {
  await setup?.lane.close();
  await stopServices();
});

test('an attack whose defender is killed is contained, repaired and closed once, and nobody loses a role', async () => {
  const points: KillPoint[] = [
    // Taking the attacker's roles, reading the guild to contain it, the repair.
    { at: 'call', nth: 1, when: 'afterApply' },
    { at: 'call', nth: 2, when: 'before' },
    { at: 'call', nth: 40, when: 'afterAnswer' },
  ];
  const outcomes: Outcome[] = [];
  for (const point of points) outcomes.push(await runProtection(setup, point));
  const kills = points.length;
  expect(summarize(outcomes)).toEqual({ runs: kills, kills, resumed: kills, violations: [] });
}, 180_000);
