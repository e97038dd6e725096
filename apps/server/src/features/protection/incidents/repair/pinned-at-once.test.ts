import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  backupDependencies,
  runBackupNow,
} from '../../../../../test/harness/backups/run-backup.ts';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';

setDefaultTimeout(120_000);

/** Nothing is contained, as while the platform does not answer: what is stored stays as it opened. */
let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({ doesWork: ['protection.look-at-guild'] });
  fixture.startHolding();
}, 120_000);
afterAll(() => fixture.stop());

const backupsOf = ({ serverId }: ProtectedGuild) => `/api/v1/servers/${serverId}/backups`;

const takeBackup = async (guild: ProtectedGuild): Promise<string> => {
  const { body } = await guild.owner.call('POST', backupsOf(guild));
  const tools = backupDependencies(fixture.service, fixture.simulator.apiUrl);
  await runBackupNow(tools, { accountId: guild.owner.accountId, backupId: body.data.id });
  return body.data.id;
};

test('the backup of an incident is kept as soon as it opens', async () => {
  const guild = await newProtectedGuild(fixture);
  const backupId = await takeBackup(guild);
  const mallory = await guild.join();
  const role = `/guilds/${guild.guildId}/roles/${guild.pink}`;
  await guild.call(mallory, 'PATCH', role, { permissions: '16' });
  await eventually(15_000, async () => expect(await guild.incidents()).toHaveLength(1));
  await guild.settled();
  const [incident] = await guild.incidents();
  const deletion = await guild.owner.call('DELETE', `${backupsOf(guild)}/${backupId}`);
  expect([incident.backupId, deletion.status]).toEqual([backupId, 409]);
});
