import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  botTokenOf,
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../../test/harness/simulator/platform.ts';
import { withPatience } from '../../kernel/patience.ts';
import type { GuildPlatform } from '../port.ts';

let simulated: SimulatedPlatform;
let guild: GuildPlatform;
beforeEach(async () => {
  simulated = await startSimulatedPlatform();
  guild = simulated.platform.bot(botTokenOf(freshId())).guild(freshId());
});
afterEach(() => simulated.stop());

const limitTo = (limit: number, perMs: number) =>
  simulated.control('PUT', '/limits', { default: { limit, perMs } });

/** What became of a call: its failure, or `done`. */
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => error,
  );

const impatiently = (ms = 300) => outcomeOf(withPatience(ms, () => guild.readChannels()));

test('a call whose bucket resets too late fails at once, with the time until then', async () => {
  await limitTo(1, 20_000);
  expect(await impatiently()).toBe('done');
  const refused = await impatiently();
  expect(refused).toMatchObject({ kind: 'rateLimited' });
  expect((refused as { retryAfterMs: number }).retryAfterMs).toBeWithin(15_000, 21_000);
  expect(await simulated.readLog()).toHaveLength(1);
});

test('of many that come at once, those that the bucket takes are sent, and the others are told when', async () => {
  await limitTo(5, 20_000);
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => impatiently(1000)));
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5);
  for (const outcome of outcomes) {
    if (outcome !== 'done') expect(outcome).toMatchObject({ kind: 'rateLimited' });
  }
  expect(await simulated.readLog()).toHaveLength(5);
});

test('a call behind a patient one is given up in time, and never sent afterwards', async () => {
  await limitTo(1, 1500);
  expect(await impatiently()).toBe('done');
  const patient = outcomeOf(guild.readChannels());
  expect(await impatiently()).toMatchObject({ kind: 'rateLimited', retryAfterMs: 300 });
  expect(await patient).toBe('done');
  await limitTo(1000, 1);
  await outcomeOf(guild.readChannels());
  // The first, the patient one, and the last.
  expect(await simulated.readLog()).toHaveLength(3);
});

test('a short wait is waited for', async () => {
  await limitTo(1, 500);
  expect(await impatiently(3000)).toBe('done');
  expect(await impatiently(3000)).toBe('done');
});

test('a call that is under way is not given up', async () => {
  await limitTo(1000, 1);
  await simulated.control('POST', '/faults', { match: {}, action: 'delay', ms: 800 });
  expect(await impatiently(200)).toBe('done');
});
