import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { actOn, orderBetweenNewAccounts } from '../../../test/harness/marketplace/fixture.ts';
import {
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../test/harness/pulls/fixture.ts';
import type { OwnTenant } from '../../../test/harness/service.ts';
import type { JobDefinition } from '../../queue/job.ts';
import { runBackup } from '../backups/jobs.ts';
import { checkBot } from '../bots/jobs.ts';
import { runPull } from '../pulls/jobs.ts';
import { runRestore, testBackup } from '../restores/jobs.ts';

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

const alertsOf = async (owner: OwnTenant) => (await owner.call('GET', '/api/v1/alerts')).body.data;

/** Runs a job some more times, as after a crash of its worker. */
const runAgain = async <Payload extends object>(
  job: JobDefinition<Payload>,
  payload: Payload,
  times = 1,
) => {
  const { db, service } = fixture;
  for (let time = 0; time < times; time++) {
    await db.transaction((tx) => service.queue.enqueue(tx, job, payload));
  }
  await eventually(20_000, async () => {
    const open = await db.$client`
      select from pgboss.job where name = ${job.name} and state < 'completed'
        and start_after <= now()`;
    expect(open).toHaveLength(0);
  });
};

const backupsOf = ({ owner, guildId, serverId }: PullServer) => {
  const guild = { tenant: owner, guildId, serverId };
  return { guild, backups: createBackupFixture(fixture.service, fixture.simulator) };
};

test('a backup that fails raises one alert, with its reason', async () => {
  const place = await fixture.newServer();
  const { guild, backups } = backupsOf(place);
  const { guildId, serverId, owner } = place;
  const refusal = { action: 'status', status: 403, body: { code: 50001, message: 'No' } };
  const fault = { match: { guildId }, ...refusal, times: 100 };
  await fixture.simulator.control('POST', '/faults', fault);
  const backup = await backups.takeBackup(guild);
  expect(backup.status).toBe('failed');
  await runAgain(runBackup, { accountId: owner.accountId, backupId: backup.id });
  expect(await alertsOf(owner)).toMatchObject([
    {
      ...{ kind: 'BACKUP_FAILED', serverId, title: 'A backup of Harbour failed' },
      detail: `${backup.error}.`,
      href: `/dashboard/servers/${serverId}/backups/${backup.id}`,
    },
  ]);
});

test('a backup whose test restore fails raises one alert, however often it is tested', async () => {
  const place = await fixture.newServer();
  const { guild, backups } = backupsOf(place);
  const backup = await backups.takeBackup(guild);
  for (const { path } of await backups.filesOf(backup.id)) await Bun.write(path, 'nothing');
  await runAgain(testBackup, { accountId: place.owner.accountId, backupId: backup.id }, 3);
  expect((await backups.read(guild, backup.id)).restorable).toBe(false);
  expect(await alertsOf(place.owner)).toMatchObject([
    {
      ...{ kind: 'BACKUP_UNPROVED', title: 'A backup of Harbour failed its test restore' },
      href: `/dashboard/servers/${place.serverId}/backups/${backup.id}`,
    },
  ]);
});

test('a bot whose token is refused raises one alert, and another after it was repaired', async () => {
  const { owner, botId, clientId } = await fixture.newServer();
  const setDead = (isDead: boolean) =>
    fixture.simulator.control('PUT', `/bots/${clientId}`, { isDead });
  const check = { accountId: owner.accountId, botId };
  await setDead(true);
  await runAgain(checkBot, check, 3);
  expect(await alertsOf(owner)).toMatchObject([
    { kind: 'BOT_REFUSED', serverId: null, title: 'The platform refuses the bot Gatekeeper' },
  ]);
  await setDead(false);
  const body = { botToken: `${btoa(clientId)}.another-token`, isActive: true };
  expect((await owner.call('PUT', `/api/v1/bots/${botId}`, { body })).status).toBe(200);
  await setDead(true);
  await runAgain(checkBot, check);
  expect(await alertsOf(owner)).toHaveLength(2);
});

test('a pull that ends raises one alert, one that its owner cancels raises none', async () => {
  const place = await fixture.newServer();
  const { owner, serverId } = place;
  await fixture.addMembers(place, 3);
  const pull = await fixture.pull(place);
  const { botId } = place;
  await runAgain(runPull, { accountId: owner.accountId, pullId: pull.id, botId });
  const ended = {
    ...{ kind: 'PULL_ENDED', serverId, title: '3 members of Harbour came back' },
    href: `/dashboard/servers/${serverId}/pulls/${pull.id}`,
  };
  expect(await alertsOf(owner)).toMatchObject([ended]);
  await fixture.disturb(place, { action: 'delay', ms: 300, times: 1000 });
  const cancelled = await fixture.begin(place);
  await owner.call('POST', `/api/v1/pulls/${cancelled}/cancel`);
  expect((await fixture.ended(place, cancelled)).status).toBe('cancelled');
  expect(await alertsOf(owner)).toMatchObject([ended]);
});

test('a restore that ends raises one alert, also where its backup turns out to be broken', async () => {
  const place = await fixture.newServer();
  const { owner, serverId } = place;
  const { guild, backups } = backupsOf(place);
  const backup = await backups.takeBackup(guild);
  const restore = await backups.restore(guild, backup.id);
  await runAgain(runRestore, { accountId: owner.accountId, restoreId: restore.id });
  expect(await alertsOf(owner)).toMatchObject([
    {
      ...{ kind: 'RESTORE_ENDED', title: 'The restore of Harbour is completed' },
      href: `/dashboard/servers/${serverId}/restores/${restore.id}`,
    },
  ]);
  for (const { path } of await backups.filesOf(backup.id)) await Bun.write(path, 'nothing');
  const failed = await backups.restore(guild, backup.id);
  expect(failed.status).toBe('failed');
  const [newest, ...others] = await alertsOf(owner);
  expect(newest).toMatchObject({ kind: 'RESTORE_ENDED', detail: `${failed.error}.` });
  const isAboutBackup = ({ href }: { href: string }) => href.endsWith(backup.id);
  expect(others.filter(isAboutBackup)).toMatchObject([{ kind: 'BACKUP_UNPROVED' }]);
});

test('an order that is paid is an alert of its seller alone', async () => {
  const { seller, buyer, id } = await orderBetweenNewAccounts(fixture.service, 'BALANCE');
  expect(await alertsOf(seller)).toMatchObject([
    {
      ...{ kind: 'ORDER_SOLD', serverId: null, title: 'You sold 2 items' },
      detail: 'An order over 20.00 USD was paid. Please deliver it.',
      href: `/dashboard/marketplace/orders/${id}`,
    },
  ]);
  await actOn(seller, id, 'deliver', { delivered: 2 });
  await actOn(buyer, id, 'confirm');
  expect([await alertsOf(seller), await alertsOf(buyer)]).toEqual([[expect.anything()], []]);
});
