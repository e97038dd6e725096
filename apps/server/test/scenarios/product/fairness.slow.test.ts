import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createAttacks } from '../../harness/attacks/attacked-server.ts';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../harness/backups/fixture.ts';
import { expectBelow } from '../../harness/bounds.ts';
import { eventually } from '../../harness/eventually.ts';
import { randomPlatformId } from '../../harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../harness/verification/fixture.ts';
import { newVerificationServer, walkIn } from '../../harness/verification/newcomer.ts';

let fixture: VerificationFixture;
let backups: BackupFixture;
beforeAll(async () => {
  const doesWork = ['backups.run', 'restores.run', 'restores.repair'];
  fixture = await startVerificationFixture({ doesWork });
  backups = createBackupFixture(fixture.service, fixture.simulator);
});
afterAll(() => fixture.stop());

const control: VerificationFixture['simulator']['control'] = (...call) =>
  fixture.simulator.control(...call);

let browsers = 0;
/** Each at an address of its own. */
const newBrowser = () => fixture.newBrowser(`11.1.1.${++browsers}`);

type Role = { id: string; name: string; managed: boolean };

/** A server with these roles in its last backup, which are then deleted. */
const withLostRoles = async (count: number, owner?: OwnedGuild['tenant']) => {
  const roles = Array.from({ length: count }, (_, index) => ({
    ...{ id: randomPlatformId(), name: `Role ${index}`, permissions: '0', position: index + 1 },
  }));
  const server = await backups.newServer({ roles, channels: [] }, owner);
  const backup = await backups.takeBackup(server, { components: ['roles'] });
  expect(backup.status).toBe('completed');
  return { server, backup, roles };
};

const deleteRoles = async ({ guildId }: OwnedGuild) => {
  const { roles } = await control('GET', `/guilds/${guildId}`);
  const left = roles.filter(({ name }: Role) => !name.startsWith('Role '));
  await control('PUT', `/guilds/${guildId}`, { roles: left, channels: [] });
};

const beginRestore = async (
  { tenant, serverId }: OwnedGuild,
  backupId: string,
): Promise<string> => {
  const path = `${backups.backupsOf(serverId)}/${backupId}/restore`;
  const reply = await tenant.call('POST', path, { body: { components: ['roles'] } });
  expect(reply.status).toBe(202);
  return reply.body.data.id;
};

const longestMs = 120_000;
/** In seconds; more than it waits for counts as that. */
const secondsUntil = async (check: () => Promise<boolean>): Promise<number> => {
  const since = performance.now();
  while (!(await check()) && performance.now() - since < longestMs) await Bun.sleep(50);
  return Math.round((performance.now() - since) / 100) / 10;
};

const isRestored = async ({ tenant }: OwnedGuild, id: string): Promise<boolean> =>
  (await tenant.call('GET', `/api/v1/restores/${id}`)).body.data.status === 'completed';

/** How long a tenant waits for the role of a newcomer, a restore, and a repair after an attack. */
const timesOf = async () => {
  const newcomer = randomPlatformId();
  const door = await newVerificationServer(fixture, {}, [newcomer]);
  const { server, backup } = await withLostRoles(1);
  const { newPerson, storeAttack } = createAttacks(fixture.simulator, fixture.service);
  const [attacker, reader] = [newPerson(), newPerson()];
  const attacked = await backups.newServer();
  await backups.takeBackup(attacked);
  const { roles } = await control('GET', `/guilds/${attacked.guildId}`);
  const lost = roles.find(({ id, managed }: Role) => id !== attacked.guildId && !managed);
  await attacker.call('DELETE', `/guilds/${attacked.guildId}/roles/${lost.id}`);
  const { repair } = await storeAttack(attacked, reader, attacker.id);
  await deleteRoles(server);

  const verify = async () => {
    await walkIn(newBrowser(), door, newcomer);
    return secondsUntil(async () => {
      const { members } = await control('GET', `/guilds/${door.guildId}`);
      return members.some(({ roles }: { roles: string[] }) => roles.includes(door.roleId));
    });
  };
  const bringBack = async () => {
    const id = await beginRestore(server, backup.id);
    return secondsUntil(() => isRestored(server, id));
  };
  const undo = async () => {
    const begun = await attacked.tenant.call('POST', repair);
    expect(begun).toMatchObject({ status: 202 });
    return secondsUntil(() => isRestored(attacked, begun.body.data.id));
  };
  const [role, restored, repaired] = await Promise.all([verify(), bringBack(), undo()]);
  return { role, restore: restored, repair: repaired };
};

/** People who verify at once in a guild whose bucket takes one every eight seconds. */
const crowdAt = async (count: number) => {
  const people = Array.from({ length: count }, randomPlatformId);
  const door = await newVerificationServer(fixture, {}, people);
  for (let index = 0; index < count; index += 5) {
    const some = people.slice(index, index + 5);
    await Promise.all(some.map((person) => walkIn(newBrowser(), door, person)));
  }
  return door;
};

const prepareRestores = async (accounts: number, each: number) => {
  const owners = Array.from({ length: accounts }, () => fixture.service.newTenant());
  const prepared = await Promise.all(
    owners.map(async (owner) => {
      const own = [];
      for (let n = 0; n < each; n++) own.push(await withLostRoles(12, await owner));
      return own;
    }),
  );
  return prepared.flat();
};

test('an account verifies, restores and repairs as fast as alone beside others in slow buckets', async () => {
  const wide = await control('GET', '/limits');
  const slow = await prepareRestores(4, 8);
  for (const { server } of slow) await deleteRoles(server);
  await control('PUT', '/limits', {
    ...wide,
    routes: {
      'PUT /guilds/:id/members/:id/roles/:id': { limit: 1, perMs: 8000 },
      'POST /guilds/:id/roles': { limit: 1, perMs: 10_000 },
    },
  });
  const alone = await timesOf();

  const begun = await Promise.all(
    slow.map(async ({ server, backup }) => ({
      server,
      id: await beginRestore(server, backup.id),
    })),
  );
  await crowdAt(45);
  await crowdAt(15);
  await eventually(30_000, async () => {
    const running = await fixture.db.$client`
      select 1 from pgboss.job where name = 'restores.run' and state = 'active'`;
    expect(running.length).toBeGreaterThan(20);
  });
  const beside = await timesOf();
  const seconds = JSON.stringify({ alone, beside });
  process.stdout.write(`seconds until the role, the restore, the repair: ${seconds}\n`);
  for (const kind of ['role', 'restore', 'repair'] as const) {
    expectBelow(beside[kind], alone[kind] + 5);
  }
  // Who waits is not forgotten.
  await control('PUT', '/limits', wide);
  for (const { server, id } of begun.slice(0, 4)) {
    expect((await backups.restored(server, id)).status).toBe('completed');
  }
}, 600_000);
