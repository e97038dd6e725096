import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createErasureFixture } from '../../../../test/harness/erasure/fixture.ts';
import {
  openBrowser,
  type PeopleFixture,
  startPeopleFixture,
} from '../../../../test/harness/erasure/people.ts';
import { listMembers, newServer } from '../../../../test/harness/members.ts';
import { storeAct } from '../../../../test/harness/protection.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  insertAppeal,
  insertAttempt,
  insertDeviceHash,
  insertPendingVerification,
  insertPulled,
  insertRoleAssignment,
} from '../../../../test/harness/verification/rows.ts';
import { armedExecutors } from '../../protection/table.ts';

let fixture: PeopleFixture;
beforeAll(async () => {
  fixture = await startPeopleFixture({ doesWork: ['backups.run'] });
});
afterAll(() => fixture.stop());

type Exported = { servers: Record<string, unknown>[]; backups: unknown[] };
const exportOf = async (platformId: string) => {
  const browser = openBrowser(fixture);
  await browser.signIn(platformId);
  const answer = await browser.go('/me/export');
  expect(answer.headers.get('content-disposition')).toContain('attachment');
  const text = await answer.text();
  const personalData: Exported = JSON.parse(text);
  return { text, personalData };
};

test('the export is JSON with all of it, and no hash, token or account of ours', async () => {
  const { db } = fixture.service;
  const platformId = randomPlatformId();
  const server = await newServer(fixture.service);
  const profile = { country: 'DE', region: 'Saxony', asn: 64500, isVpn: true };
  const { owner, pair } = await fixture.addMember(server, platformId, {
    ...{ ...profile, fingerprint: 'f'.repeat(43) },
  });
  await insertDeviceHash(db, server, platformId);
  await insertAppeal(db, server, platformId, 'Let me in');
  await insertAttempt(db, server, platformId, { country: 'NL', undecided: ['VPN'] });
  await insertPendingVerification(db, server, owner.botId, platformId);
  const [member] = (await listMembers(server)).body.data;
  await insertRoleAssignment(db, server, platformId, member.id);
  await insertPulled(db, server, member.id);
  const { text, personalData } = await exportOf(platformId);
  expect(personalData).toMatchObject({
    platformId,
    sessions: [{ createdAt: expect.any(String), browser: expect.any(String) }],
    servers: [
      {
        id: server.serverId,
        membership: {
          ...{ ...profile, consentedAt: expect.any(String), verifiedAt: expect.any(String) },
          ...{ isTokenKept: true, tokenScopes: ['identify', 'guilds.join'] },
        },
        traces: [{ kind: 'device' }],
        appeals: [{ message: 'Let me in', status: 'OPEN' }],
        visits: [{ outcome: null, wantsRecovery: true, hasPassedCaptcha: false }],
        attempts: [{ stage: 'visited', blockReason: null, country: 'NL', undecided: ['VPN'] }],
        pulls: [{ result: 'joined', pulledAt: expect.any(String), roleIds: ['7'], nick: 'Ann' }],
        verifiedRoles: [{ status: 'waiting', updatedAt: expect.any(String) }],
      },
    ],
  });
  for (const secret of [pair.accessToken.reveal(), pair.refreshToken.reveal(), owner.accountId]) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toContain('a-trace-of-');
});

test('the export tells what was done to the person, and of what they did nothing about others', async () => {
  const { db } = fixture.service;
  const [platformId, victim, moderator] = Array.from({ length: 3 }, randomPlatformId);
  const server = await newServer(fixture.service);
  const { serverId, owner } = server;
  const tools = { db, accountId: owner.accountId };
  const act = { serverId, incidentId: null };
  await storeAct(tools, { ...act, executorId: platformId, targetId: '21' });
  const kick = { action: 'memberKicked' as const, kind: 'kicks' };
  await storeAct(tools, { ...act, ...kick, executorId: platformId, targetId: victim });
  const renamed = { before: { nick: null }, after: { nick: 'Grumpy' } };
  const rename = { action: 'memberChanged' as const, kind: 'edits', ...renamed };
  await storeAct(tools, { ...act, ...rename, executorId: moderator, targetId: platformId });
  await db.insert(armedExecutors).values({
    ...{ serverId, accountId: owner.accountId, platformId: platformId ?? '', username: 'ann' },
    ...{ isBot: false, rolesBefore: ['11'], rolesToTake: ['11'] },
  });
  const { text, personalData } = await exportOf(platformId ?? '');
  const [exported] = personalData.servers;
  expect(exported?.acts).toEqual([
    { action: 'memberKicked', targetId: null, at: expect.any(String) },
    { action: 'channelDeleted', targetId: '21', at: expect.any(String) },
  ]);
  expect(exported?.changes).toEqual([
    { action: 'memberChanged', ...renamed, at: expect.any(String) },
  ]);
  expect(exported?.armed).toEqual([
    { username: 'ann', rolesBefore: ['11'], noticedAt: expect.any(String) },
  ]);
  for (const other of [victim, moderator]) expect(text).not.toContain(other ?? '');
});

test('the export names each backup that holds something of the person, with its date', async () => {
  const { newPerson, putEverywhere, backups } = createErasureFixture(fixture);
  const [person, server] = [await newPerson(), await backups.newServer()];
  await putEverywhere(server, person);
  const { name, startedAt: savedAt } = await backups.takeBackup(server);
  const { personalData } = await exportOf(person.platformId);
  expect(personalData.backups).toMatchObject([
    {
      serverId: server.serverId,
      list: [{ name, savedAt, kinds: expect.arrayContaining(['ROLES_AND_NICKNAME']) }],
    },
  ]);
});

/** What of it is in the export, or why it is not. */
const tables: Record<string, string> = {
  members: 'membership',
  seen_members: 'membership',
  member_tokens: 'membership: that there is one, and its scopes',
  sessions: 'sessions',
  blob_people: 'backups',
  erasures: 'a hash, of somebody who has erased themselves',
  verification_attempts: 'attempts',
  pending_verifications: 'visits',
  identity_hashes: 'traces: their kinds, not the hashes',
  role_assignments: 'verifiedRoles',
  appeals: 'appeals',
  pull_members: 'pulls',
  pull_member_roles: 'pulls',
  raid_newcomers: 'joins',
  incident_executors: 'incidents',
  incident_steps: 'what was done about the incidents, which the owner keeps',
  armed_executors: 'armed',
  guild_acts: 'acts, changes',
  blacklist: 'the owner’s list',
  accounts: 'the person as an owner: the dashboard has it',
  bots: 'bots are no people',
};

test('the export has every table that names a person, or says why not', async () => {
  const rows = await fixture.service.db.$client`
    select distinct table_name from information_schema.columns where table_schema = 'public'
    and column_name in ('platform_id', 'member_id', 'user_id', 'executor_id', 'person_hash',
      'people', 'username')`;
  const named = rows.map((row: { table_name: string }) => row.table_name).sort();
  expect(named).toEqual(Object.keys(tables).sort());
});
