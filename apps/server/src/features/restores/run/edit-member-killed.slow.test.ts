import { afterAll, expect, test } from 'bun:test';
import { createAttacks } from '../../../../test/harness/attacks/attacked-server.ts';
import { startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type ServiceProcess, startProcess } from '../../../../test/harness/service-process.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';

const masterKeys = generateMasterKey();
const { simulator, fixture, service } = await startBackupFixture({
  ring: parseKeyRing(masterKeys),
});
const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);
const processes: ServiceProcess[] = [];
afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
});

/** Under one name, so that it goes on at once with what the last one left. */
const startWorker = async (): Promise<ServiceProcess> => {
  const started = await startProcess({
    ...{ ROLE: 'worker', WORKER_ID: 'the-only-one', MASTER_KEYS: masterKeys },
    ...{ DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir },
  });
  processes.push(started);
  return started;
};

test.each([
  ['between a member’s roles and their time-out', 'before'],
  ['after the time-out and before it knows', 'afterApply'],
])(
  'a process that is killed %s leaves nothing out',
  async (_, when) => {
    const [roleId, id] = ['7001', '8001'];
    const server = await fixture.newServer({
      roles: [{ id: roleId, name: 'Crew', permissions: '0' }],
      members: [{ user: { id, username: id }, roles: [roleId] }],
    });
    const path = `/guilds/${server.guildId}/members/${id}`;
    const [attacker, honest] = [newPerson(), newPerson()];
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await honest.call('PATCH', path, { communication_disabled_until: until });
    const { pid, exited } = await startWorker();
    await fixture.takeBackup(server);
    await attacker.call('DELETE', `${path}/roles/${roleId}`);
    await attacker.call('PATCH', path, { communication_disabled_until: null });
    const { repair } = await storeAttack(server, honest, attacker.id);
    await simulator.control('POST', '/faults', {
      match: { method: 'PATCH', route: '/guilds/:id/members/:id', guildId: server.guildId },
      ...{ nth: 2, when, action: 'kill', pid },
    });
    const { body } = await server.tenant.call('POST', repair);
    expect(await exited).toBe(137);
    const last = await startWorker();
    const restore = await eventually(60_000, () => fixture.restored(server, body.data.id));
    expect(restore).toMatchObject({ status: 'completed', warnings: [] });
    const { members } = await guildOf(server);
    const found = members.find(({ user }: { user: { id: string } }) => user.id === id);
    expect([found.roles, found.communication_disabled_until]).toEqual([[roleId], until]);
    last.kill('SIGKILL');
    await last.exited;
  },
  180_000,
);
