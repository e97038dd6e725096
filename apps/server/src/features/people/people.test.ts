import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import {
  placesOf,
  startVerificationFixture,
  type VerificationFixture,
} from '../../../test/harness/verification/fixture.ts';
import {
  membersOf,
  newVerificationServer,
  type VerificationServer,
  walkIn,
} from '../../../test/harness/verification/newcomer.ts';
import { forgetAttemptsOfPerson } from '../verification/queries/attempts.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture({ doesWork: ['backups.run'] });
});
afterAll(() => fixture.stop());

const takeBackup = async ({ owner, id }: VerificationServer): Promise<string> => {
  const path = `/api/v1/servers/${id}/backups`;
  const backupId = (await owner.call('POST', path)).body.data.id;
  await eventually(20_000, async () => {
    const { status } = (await owner.call('GET', `${path}/${backupId}`)).body.data;
    expect(status).toBe('completed');
  });
  return backupId;
};

test('an owner sees the attempts of a member, their roles and the backups that hold them', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, { vpnBlockEnabled: true }, [person]);
  await walkIn(fixture.newBrowser(placesOf.vpn), server, person);
  await walkIn(fixture.newBrowser(), server, person, { form: { recover: 'yes' } });
  await walkIn(fixture.newBrowser(), server, randomPlatformId());
  const member = (await membersOf(server)).find(
    ({ platformId }: { platformId: string }) => platformId === person,
  );
  const backupId = await takeBackup(server);
  const dashboard = await openDashboard(fixture.service, server.owner);
  const path = `/servers/${server.id}/members/${member.id}/history`;
  const read = async () => (await dashboard.call('GET', path)).body.data;
  const history = await read();
  expect(history.member).toEqual(member);
  expect(history.attempts).toMatchObject([
    { stage: 'verified', blockReason: null, country: 'DE' },
    { stage: 'captchaPassed', blockReason: 'VPN' },
  ]);
  expect(history.attemptsSince).toBe(history.attempts[1].startedAt);
  expect(history.backups).toMatchObject([{ id: backupId, kinds: ['ROLES_AND_NICKNAME'] }]);
  expect(history).toMatchObject({ isBlacklisted: false, appeals: [], pulls: [] });
  expect(history.verifiedRole.status).toBeOneOf(['waiting', 'done']);

  await fixture.db.transaction((tx) => forgetAttemptsOfPerson(tx, person));
  expect((await read()).attempts).toEqual([]);
});

test('nobody else sees them', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  await walkIn(fixture.newBrowser(), server, person);
  const [member] = await membersOf(server);
  const other = await newVerificationServer(fixture);
  const stranger = await openDashboard(fixture.service, other.owner);
  for (const serverId of [server.id, other.id]) {
    const path = `/servers/${serverId}/members/${member.id}/history`;
    expect((await stranger.call('GET', path)).status).toBe(404);
  }
});

test('the blacklist names those who were members, to their own owner alone', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture);
  await walkIn(fixture.newBrowser(), server, person);
  const [member] = await membersOf(server);
  const { call } = await openDashboard(fixture.service, server.owner);
  const stranger = randomPlatformId();
  for (const platformId of [person, stranger]) {
    await call('POST', `/servers/${server.id}/blacklist`, { platformId });
  }
  const { id, username, displayName, avatar } = member;
  expect((await call('GET', '/blacklist/named')).body.data).toMatchObject([
    { platformId: stranger, member: null },
    { platformId: person, member: { id, username, displayName, avatar, serverId: server.id } },
  ]);
  const other = await newVerificationServer(fixture);
  const others = await openDashboard(fixture.service, other.owner);
  await others.call('POST', `/servers/${other.id}/blacklist`, { platformId: person });
  expect((await others.call('GET', '/blacklist/named')).body.data[0].member).toBeNull();
});
