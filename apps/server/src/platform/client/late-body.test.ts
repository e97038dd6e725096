import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  botTokenOf,
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../../test/harness/simulator/platform.ts';
import { Secret } from '../../kernel/secret.ts';
import type { GuildPlatform } from '../port.ts';

let simulated: SimulatedPlatform;
let guild: GuildPlatform;
let applicationId: string;
beforeEach(async () => {
  simulated = await startSimulatedPlatform();
  applicationId = freshId();
  guild = simulated.platform.bot(botTokenOf(applicationId)).guild(freshId());
});
afterEach(() => simulated.stop());

const tokenOf = async (userId: string): Promise<Secret> => {
  const wish = { clientId: applicationId, userId, scopes: ['guilds.join'] };
  const pair: { access_token: string } = await simulated.control('POST', '/tokens', wish);
  return new Secret(pair.access_token);
};

test('a member’s token is read after the wait for the bucket, not before', async () => {
  const perMs = 2000;
  await simulated.control('PUT', '/limits', { default: { limit: 1, perMs } });
  const [first, second] = [freshId(), freshId()];
  const askedAt: number[] = [];
  const asking = (userId: string) => async () => {
    askedAt.push(performance.now());
    return tokenOf(userId);
  };
  await Promise.all([
    guild.addMember(first, asking(first)),
    guild.addMember(second, asking(second)),
  ]);
  expect(askedAt).toHaveLength(2);
  expect(Number(askedAt[1]) - Number(askedAt[0])).toBeGreaterThan(perMs - 100);
});

test('without a token at that moment the call is not sent, and the bucket not used', async () => {
  await simulated.control('PUT', '/limits', { default: { limit: 1, perMs: 60_000 } });
  const withheld = guild.addMember(freshId(), async () => undefined);
  expect(await withheld.catch((error: unknown) => error)).toMatchObject({ kind: 'withheld' });
  const userId = freshId();
  expect(await guild.addMember(userId, () => tokenOf(userId))).toBe('joined');
  expect((await simulated.readLog()).map(({ status }) => status)).toEqual([201]);
});

test('an error while the token is read is thrown as it is, and the call is not repeated', async () => {
  const trouble = new Error('the database is away');
  let asked = 0;
  const call = guild.addMember(freshId(), async () => {
    asked++;
    throw trouble;
  });
  expect(await call.catch((error: unknown) => error)).toBe(trouble);
  expect(asked).toBe(1);
  expect(await simulated.readLog()).toEqual([]);
});

test('the token is read again for every attempt', async () => {
  const userId = freshId();
  await simulated.control('POST', '/faults', {
    match: { method: 'PUT', route: '/guilds/:id/members/:id' },
    ...{ nth: 1, when: 'before', action: 'status', status: 502 },
  });
  let asked = 0;
  const outcome = guild.addMember(userId, async () => {
    asked++;
    return asked === 1 ? new Secret('stale') : tokenOf(userId);
  });
  expect(await outcome).toBe('joined');
  expect(asked).toBe(2);
});

test('an abort while the token is read prevents the call', async () => {
  const controller = new AbortController();
  const bot = simulated.platform.bot(botTokenOf(applicationId));
  const call = bot.guild(freshId(), { signal: controller.signal }).addMember('7', async () => {
    controller.abort();
    return new Secret('token');
  });
  expect(await call.catch((error: unknown) => error)).toMatchObject({ kind: 'aborted' });
  await Bun.sleep(100);
  expect(await simulated.readLog()).toEqual([]);
});

test('a broken connection is not followed by a repetition with an old token', async () => {
  const userId = freshId();
  // The connection that is there by now would be used again.
  await guild.read();
  await simulated.control('POST', '/faults', {
    match: { method: 'PUT', route: '/guilds/:id/members/:id' },
    ...{ nth: 1, times: 2, when: 'afterApply', action: 'reset' },
  });
  let asked = 0;
  const outcome = guild.addMember(userId, async () => {
    asked++;
    return tokenOf(userId);
  });
  expect(await outcome).toBe('alreadyMember');
  const calls = (await simulated.readLog()).filter(({ method }) => method === 'PUT');
  expect([asked, calls.length]).toEqual([3, 3]);
});
