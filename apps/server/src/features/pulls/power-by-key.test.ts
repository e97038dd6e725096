import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openWithFactor } from '../../../test/harness/dashboard/session.ts';
import type { PullServer } from '../../../test/harness/pulls/fixture.ts';
import { crew, type RolesFixture, startRolesFixture } from '../../../test/harness/pulls/roles.ts';

let fixture: RolesFixture;
beforeAll(async () => {
  fixture = await startRolesFixture();
});
afterAll(() => fixture.stop());

const captain = { id: '7009', name: 'Captain', permissions: '8' };

const pullInDashboard = async (server: PullServer, body: object) => {
  const browser = await openWithFactor(fixture.service, server.owner);
  const asked = await browser.call('POST', `/servers/${server.serverId}/pull`, body);
  expect(asked.status).toBe(202);
  return String(asked.body.data.id);
};

test('a key that resumes a pull gives no power that a person confirmed for it', async () => {
  const server = await fixture.newServer({ roles: [crew, captain] });
  const [first, ...others] = await fixture.addMembers(server, 3);
  const powerful = { roleId: captain.id, confirmRoleName: captain.name };
  const slow = await fixture.slowDown(1, 1500);
  const pullId = await pullInDashboard(server, powerful);
  await fixture.untilProcessed(server, pullId, 1);
  const stopped = await server.owner.call('POST', `/api/v1/pulls/${pullId}/cancel`);
  expect(stopped.status).toBe(200);
  await fixture.ended(server, pullId);
  await slow.end();
  const resumed = await server.owner.call('POST', `/api/v1/pulls/${pullId}/resume`);
  expect(resumed.status).toBe(202);
  const pull = await fixture.ended(server, pullId);
  expect(pull.warnings).toEqual([expect.stringMatching(/Captain.*ADMINISTRATOR/)]);
  const held = await Promise.all(
    [first, ...others].flatMap((one) => one ?? []).map((one) => fixture.heldIn(server, one)),
  );
  expect(held.filter((one) => one?.roles.includes(captain.id)).length).toBeLessThan(3);
  expect(held.filter((one) => one?.roles.length === 0).length).toBeGreaterThan(0);
});
