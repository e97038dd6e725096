import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DashboardScene } from '../../../test/dashboard-scene.ts';
import {
  openDashboard,
  signInToDashboard,
  startDashboardScene,
} from '../../../test/dashboard-scene.ts';
import { randomPlatformId } from '../../../test/harness.ts';
import { sharedSimulator } from '../../../test/simulator.ts';

let scene: DashboardScene;
beforeAll(async () => {
  scene = await startDashboardScene();
}, 60_000);
afterAll(() => scene.service.stop());

test('a person’s picture comes through us, for those who are signed in', async () => {
  const platformId = randomPlatformId();
  // One in four of the simulator's users has uploaded none.
  const uploaded = 'ab'.repeat(16);
  await (await sharedSimulator()).control('PUT', `/users/${platformId}`, { avatar: uploaded });
  const { browser } = await signInToDashboard(scene, platformId);
  const { avatar } = (await browser.call('GET', '/account')).body.data;
  const [, id, hash] = /avatars\/(\d+)\/(\w+)\.png$/.exec(avatar) ?? [];
  const path = `/dashboard/pictures/avatars/${id}/${hash}`;
  const picture = await browser.go(path);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(picture.headers.get('cache-control')).toContain('private');
  expect((await openDashboard(scene).go(path)).status).toBe(401);
});

test('where the platform has no such picture, ours stands in', async () => {
  const { browser } = await signInToDashboard(scene);
  const answer = await browser.go(`/dashboard/pictures/icons/${randomPlatformId()}/feed`);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/placeholder/server.svg']);
});

test.each([
  '/dashboard/pictures/avatars/1/..%2f..%2fetc',
  '/dashboard/pictures/avatars/x/feed',
  '/dashboard/pictures/icons/1/http:%2f%2fevil.example',
  `/dashboard/pictures/icons/1/${'a'.repeat(65)}`,
])('nothing but a picture’s own name is asked for: not %s', async (path) => {
  const { browser } = await signInToDashboard(scene);
  expect((await browser.go(path)).status).toBe(404);
});
