import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DashboardFixture } from '../../../../test/harness/dashboard/fixture.ts';
import {
  openDashboard,
  signInToDashboard,
  startDashboardFixture,
} from '../../../../test/harness/dashboard/fixture.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';

let fixture: DashboardFixture;
beforeAll(async () => {
  fixture = await startDashboardFixture();
});
afterAll(() => fixture.service.stop());

test('a person’s picture comes through us, for those who are signed in', async () => {
  const platformId = randomPlatformId();
  // One in four of the simulator's users has uploaded none.
  const uploaded = 'ab'.repeat(16);
  await (await sharedSimulator()).control('PUT', `/users/${platformId}`, { avatar: uploaded });
  const { browser } = await signInToDashboard(fixture, platformId);
  const { avatar } = (await browser.call('GET', '/account')).body.data;
  const [, id, hash] = /avatars\/(\d+)\/(\w+)\.png$/.exec(avatar) ?? [];
  const path = `/dashboard/pictures/avatars/${id}/${hash}`;
  const picture = await browser.go(path);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(picture.headers.get('cache-control')).toContain('private');
  expect((await openDashboard(fixture).go(path)).status).toBe(401);
});

test('where the platform has no such picture, ours stands in', async () => {
  const { browser } = await signInToDashboard(fixture);
  const answer = await browser.go(`/dashboard/pictures/icons/${randomPlatformId()}/feed`);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/placeholder/server.svg']);
});

test.each([
  '/dashboard/pictures/avatars/1/..%2f..%2fetc',
  '/dashboard/pictures/avatars/x/feed',
  '/dashboard/pictures/icons/1/http:%2f%2fevil.example',
  `/dashboard/pictures/icons/1/${'a'.repeat(65)}`,
])('nothing but a picture’s own name is asked for: not %s', async (path) => {
  const { browser } = await signInToDashboard(fixture);
  expect((await browser.go(path)).status).toBe(404);
});
