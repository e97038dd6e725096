import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import { newProtectedGuild } from '../../../../test/harness/protected-guild.ts';
import { type ServiceProcess, startProcess } from '../../../../test/harness/service-process.ts';
import { generateMasterKey, parseKeyRing } from '../../../kernel/seal.ts';

const masterKeys = generateMasterKey();
let fixture: GatewayFixture;
const processes: ServiceProcess[] = [];

/** Takes bots, and works. Under one name, so that it goes on at once with what the last one left. */
const start = async (): Promise<ServiceProcess> => {
  const started = await startProcess({
    ...{ ROLE: 'all', WORKER_ID: 'the-only-one', MASTER_KEYS: masterKeys },
    ...{ DATABASE_URL: fixture.service.databaseUrl, DATA_DIR: fixture.service.dataDir },
    PLATFORM_API_URL: fixture.simulator.apiUrl,
  });
  processes.push(started);
  return started;
};

beforeAll(async () => {
  fixture = await startGatewayFixture({ ring: parseKeyRing(masterKeys) });
});
afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all(processes.map(({ exited }) => exited));
  await fixture.stop();
});

const stopCall = { method: 'PATCH', route: '/guilds/:id/members/:id' };
const pauseCall = { method: 'PUT', route: '/guilds/:id/incident-actions' };

test.each([
  ['before the roles are taken', stopCall, 'before'],
  ['after the roles are taken and before it knows', stopCall, 'afterApply'],
  ['after invites are paused and before it knows', pauseCall, 'afterApply'],
])(
  'a process killed %s loses no role, and the next one contains the attack',
  async (_, match, when) => {
    fixture.startHolding();
    const guild = await newProtectedGuild(fixture);
    await fixture.stopHolding();
    const mallory = await guild.join();
    const { pid, exited } = await start();
    await eventually(60_000, async () => {
      const bot = await fixture.atGateway(guild.bot);
      expect(bot.sessions.some(({ isConnected }: { isConnected: boolean }) => isConnected)).toBe(
        true,
      );
    });
    const fault = {
      match: { ...match, guildId: guild.guildId },
      nth: 1,
      when,
      action: 'kill',
      pid,
    };
    await fixture.simulator.control('POST', '/faults', fault);
    for (const id of guild.channelIds.slice(0, 3)) await guild.deleteChannel(mallory, id);
    expect(await exited).toBe(137);
    await start();
    const incident = await eventually(60_000, () => guild.contained());
    expect(incident.executors).toMatchObject([{ platformId: mallory, rolesTaken: [guild.mod] }]);
    expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
    expect(await guild.incidents()).toHaveLength(1);
    expect((await guild.now()).guild.incidents_data.invites_disabled_until).toBeTruthy();
  },
  180_000,
);
