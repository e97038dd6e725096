import { afterAll, beforeAll, expect, test } from 'bun:test';
import { takeBackupNow } from '../../../../../test/harness/backups/run-backup.ts';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { silentLogOf } from '../../../../../test/harness/silent-log.ts';

/** Nothing is contained, as while the platform does not answer: what is stored stays as it opened. */
let fixture: GatewayFixture;
let log: ReturnType<typeof silentLogOf>;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.look-at-guild', 'protection.explain-losses'],
  });
  fixture.startHolding();
  log = silentLogOf(fixture);
});
afterAll(() => fixture.stop());

const backupsOf = ({ serverId }: ProtectedGuild) => `/api/v1/servers/${serverId}/backups`;

/** Its backup, and what becomes of who deletes that. */
const keptFor = async (guild: ProtectedGuild, backupId: string) => {
  const [{ backupId: pinned }] = await guild.incidents();
  const deletion = await guild.owner.call('DELETE', `${backupsOf(guild)}/${backupId}`);
  return [pinned, deletion.status];
};

test('the backup of an incident is kept as soon as it opens', async () => {
  const guild = await newProtectedGuild(fixture);
  const backupId = await takeBackupNow(fixture, guild);
  const mallory = await guild.join();
  const role = `/guilds/${guild.guildId}/roles/${guild.pink}`;
  await guild.call(mallory, 'PATCH', role, { permissions: '16' });
  await eventually(15_000, async () => expect(await guild.incidents()).toHaveLength(1));
  await guild.settled();
  expect(await keptFor(guild, backupId)).toEqual([backupId, 409]);
});

test('the backup of an incident of nobody known is kept as soon as it opens', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 12 });
  const backupId = await takeBackupNow(fixture, guild);
  const mallory = await guild.join();
  await guild.known();
  await guild.settled();
  await log.silence(guild);
  await log.answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds) await guild.deleteChannel(mallory, id);
  await log.anIncident(guild);
  expect(await keptFor(guild, backupId)).toEqual([backupId, 409]);
});
