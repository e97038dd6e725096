import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshId, startTestSimulator } from '../../../test/harness.ts';
import { createSnowflakes } from '../snowflakes.ts';

test('a guild that was read through the control API can be set again unchanged', async () => {
  const simulator = await startTestSimulator();
  const id = freshId();
  const state = await simulator.control('GET', `/guilds/${id}`);
  expect(Object.keys(state)).toContainValues(['guild', 'roles', 'channels', 'members', 'messages']);
  await simulator.control('PUT', `/guilds/${id}`, state);
  expect(await simulator.control('GET', `/guilds/${id}`)).toEqual(state);
  await simulator.stop();
});

test('guilds outlive a restart when a file is given', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  const stateFile = join(folder, 'deep', 'state.json');
  const id = freshId();
  const first = await startTestSimulator({ stateFile });
  const made = await first.call('POST', `/guilds/${id}/channels`, { name: 'kept' });
  const { id: channelId } = await made.json();
  const state = await first.control('GET', `/guilds/${id}`);
  await first.stop();
  const second = await startTestSimulator({ stateFile });
  expect(await second.control('GET', `/guilds/${id}`)).toEqual(state);
  expect((await second.call('GET', `/channels/${channelId}`)).status).toBe(200);
  await second.stop();
  await rm(folder, { recursive: true });
});

test('ids increase even if the clock stops or steps back', () => {
  const times = [5, 5, 3, 6].map((ms) => 1_500_000_000_000 + ms);
  const snowflakes = createSnowflakes(() => times.shift() ?? 0);
  const ids = [snowflakes.next(), snowflakes.next(), snowflakes.next(), snowflakes.next()];
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(4);
});
