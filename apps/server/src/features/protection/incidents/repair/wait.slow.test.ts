import { expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { eq } from 'drizzle-orm';
import {
  type OwnedGuild,
  startBackupFixture,
} from '../../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { storeIncident } from '../../../../../test/harness/protection.ts';
import { randomPlatformId, startTestService } from '../../../../../test/harness/service.ts';
import { startProcess } from '../../../../../test/harness/service-process.ts';
import { openBlobStore } from '../../../../integrations/blobs/open-store.ts';
import { generateMasterKey, parseKeyRing } from '../../../../kernel/seal.ts';
import { restores } from '../../../restores/table.ts';
import { contain, containLater } from '../../contain/queued.ts';
import { tidyUpJob } from '../../jobs.ts';
import { listSteps } from '../../queries/course.ts';
import { listWaitingRepairs } from '../../queries/repair.ts';

const masterKeys = generateMasterKey();
/** This one contains attacks and leaves restores to another worker, so that they stay under way. */
const { simulator, service, fixture } = await startBackupFixture({
  ring: parseKeyRing(masterKeys),
  doesWork: ['backups.run', contain.name],
});
const { db, queue, ring, databaseUrl, dataDir } = service;

const startRestorer = () => {
  const blobStore = openBlobStore({ dataDir });
  const doesWork = ['backups.run', 'restores.run', 'restores.repair', contain.name];
  return startTestService({ databaseUrl, ring, blobStore, doesWork });
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the simulator shows
const guildOf = ({ guildId }: OwnedGuild): Promise<any> =>
  simulator.control('GET', `/guilds/${guildId}`);

const stateOf = async (incidentId: string) => {
  const steps = await listSteps(db, incidentId);
  const repairs = await db
    .select({ id: restores.id })
    .from(restores)
    .where(eq(restores.incidentId, incidentId));
  const waits = steps.filter(({ kind }) => kind === 'AWAIT_RESTORE').map(({ status }) => status);
  return { repairs: repairs.length, waits };
};

/** Somebody deletes channels while a restore of the owner is under way. */
const attackDuringRestore = async () => {
  const server = await fixture.newServer();
  const { tenant, guildId, serverId } = server;
  const body = { antiNukeEnabled: true, autoRepair: true };
  await tenant.call('PUT', `/api/v1/servers/${serverId}/protection`, { body });
  const old = await fixture.takeBackup(server);
  const { channels, emojis } = await guildOf(server);
  const attackerId = randomPlatformId();
  const deleteAs = (id: string, path: string) =>
    fetch(`${simulator.apiUrl}${path}`, {
      ...{ method: 'DELETE', headers: { authorization: `Bot ${btoa(id)}.token` } },
    });
  const [first, ...rooms] = channels.filter(({ type }: { type: number }) => type === 2);
  await deleteAs(randomPlatformId(), `/channels/${first.id}`);
  const good = await fixture.takeBackup(server);
  const { channels: before } = await guildOf(server);
  const path = `/api/v1/servers/${serverId}/backups/${old.id}/restore`;
  const options = { body: { mode: 'REPAIR', components: ['emojis'] } };
  await deleteAs(randomPlatformId(), `/guilds/${guildId}/emojis/${emojis[0].id}`);
  const restoreId = (await tenant.call('POST', path, options)).body.data.id;

  const owner = { db, accountId: tenant.accountId };
  const { id: incidentId } = await storeIncident(owner, serverId, {
    incident: { guildId, status: 'open', containedAt: null, firstActAt: new Date() },
    executor: { platformId: attackerId, status: 'pending', isBot: true, stoppedAt: null },
    isEmpty: true,
  });
  for (const { id } of rooms)
    expect((await deleteAs(attackerId, `/channels/${id}`)).status).toBe(200);
  const incident = { accountId: tenant.accountId, incidentId };
  await db.transaction((tx) => containLater(queue, tx, incident));
  await eventually(20_000, async () =>
    expect(await stateOf(incidentId)).toEqual({ repairs: 0, waits: ['begun'] }),
  );
  return { server, incident, before, restoreId, old, good };
};

type Attacked = Awaited<ReturnType<typeof attackDuringRestore>>;

/** The backup that the owner restores cannot be read, the good one can. */
const breakOld = async ({ old, good }: Attacked): Promise<void> => {
  const kept = new Set((await fixture.filesOf(good.id)).map(({ hash }) => hash));
  const own = (await fixture.filesOf(old.id)).filter(({ hash }) => !kept.has(hash));
  expect(own).not.toEqual([]);
  for (const { path } of own) await rm(path);
};

const expectRepaired = async (
  { server, incident: { incidentId }, before, restoreId }: Attacked,
  status: string,
): Promise<void> => {
  expect((await fixture.restored(server, restoreId)).status).toBe(status);
  await eventually(30_000, async () => {
    const { body } = await server.tenant.call('GET', `/api/v1/incidents/${incidentId}`);
    expect(body.data.status).toBe('repaired');
  });
  expect(await stateOf(incidentId)).toEqual({ repairs: 1, waits: ['done'] });
  const names = (channels: { name: string }[]) => channels.map(({ name }) => name).sort();
  expect(names((await guildOf(server)).channels)).toEqual(names(before));
};

test('a repair that another restore keeps back starts by itself, once, however that one ends', async () => {
  const attacks = { completed: await attackDuringRestore(), failed: await attackDuringRestore() };
  const cancelled = await attackDuringRestore();
  await breakOld(attacks.failed);
  const cancel = `/api/v1/restores/${cancelled.restoreId}/cancel`;
  expect((await cancelled.server.tenant.call('POST', cancel)).status).toBe(200);
  // As long as the other is under way, nothing that looks for it begins it, nor is it noted twice.
  await tidyUpJob({ ...service, clock: { now: () => new Date() } }).run(
    {},
    AbortSignal.timeout(30_000),
  );
  expect(await listWaitingRepairs(db, 10)).toEqual([]);
  const { incident } = cancelled;
  await db.transaction((tx) => containLater(queue, tx, incident));

  const restorer = await startRestorer();
  for (const [status, attacked] of Object.entries({ ...attacks, cancelled })) {
    await expectRepaired(attacked, status);
  }
  await restorer.stop();
});

test('it starts once also where the process that restores is killed, and another goes on', async () => {
  const attacked = await attackDuringRestore();
  const env = {
    ...{ ROLE: 'worker', WORKER_ID: 'the-other', MASTER_KEYS: masterKeys },
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PLATFORM_API_URL: simulator.apiUrl },
  };
  const { pid, exited } = await startProcess(env);
  const { guildId } = attacked.server;
  const match = { method: 'POST', route: '/guilds/:id/emojis', guildId };
  const fault = { match, nth: 1, when: 'afterApply', action: 'kill', pid };
  await simulator.control('POST', '/faults', fault);
  expect(await exited).toBe(137);
  expect(await stateOf(attacked.incident.incidentId)).toEqual({ repairs: 0, waits: ['begun'] });
  const next = await startProcess(env);
  try {
    await expectRepaired(attacked, 'completed');
  } finally {
    next.kill('SIGKILL');
    await next.exited;
  }
}, 180_000);
