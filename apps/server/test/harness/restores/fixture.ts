import { createBot, createServer } from '../bots-and-servers.ts';
import { openWithFactor } from '../dashboard/session.ts';
import { eventually } from '../eventually.ts';
import type { TestGuild } from '../guilds/arbitrary-guild.ts';
import { randomPlatformId, startTestService, type Tenant, type TestService } from '../service.ts';
import { type SimulatedGuild, toSimulator } from '../simulator/guild-state.ts';
import { summarizeGuild } from '../simulator/guild-summary.ts';
import { startTestSimulator } from '../simulator/start.ts';
import { watchVisibility } from '../simulator/watch-visibility.ts';

export type RestoreFixture = Awaited<ReturnType<typeof startRestoreFixture>>;

const patienceMs = 240_000;
const underWay = ['queued', 'snapshotting', 'running'];

/** A service and a platform of their own, on which guilds are backed up, damaged and restored. */
export const startRestoreFixture = async () => {
  const visibility = watchVisibility();
  const simulator = await startTestSimulator({ onApplied: visibility.onApplied });
  const service = await startTestService({ doesWork: true, platformApiUrl: simulator.apiUrl });

  const put = (guild: TestGuild, botId: string) =>
    simulator.control('PUT', `/guilds/${guild.guildId}`, toSimulator(guild, botId));
  const readGuild = (guildId: string): Promise<SimulatedGuild> =>
    simulator.control('GET', `/guilds/${guildId}`);

  return {
    /** Backs a guild up and restores it over another one, or over its own damaged state. */
    async restoreOver(guild: TestGuild, target: TestGuild, how: RestoreHow = {}) {
      const { syncs = true, ...body } = how;
      await simulator.control('PUT', '/permission-sync', { isOn: syncs });
      const tenant = await service.newTenant();
      const botId = randomPlatformId();
      const botToken = `${btoa(botId)}.token-value`;
      const customBotId = await createBot(tenant, { clientId: botId, botToken });
      const own = (platformGuildId: string) =>
        createServer(tenant, { platformGuildId, customBotId });

      await put(guild, botId);
      const serverId = await own(guild.guildId);
      const backupId = await takeBackup(service, tenant, serverId);
      const backup = await readGuild(guild.guildId);

      await put(target, botId);
      const isItself = target.guildId === guild.guildId;
      const targetServerId = isItself ? serverId : await own(target.guildId);
      const before = await readGuild(target.guildId);
      visibility.begin(target.guildId);
      const request = { serverId, backupId, targetServerId, body };
      const { status, warnings } = await restore(service, tenant, request);
      const after = await readGuild(target.guildId);

      const botIds = new Set(before.roles.flatMap(({ tags }) => tags?.bot_id ?? []));
      const userIds = new Set(before.members.map(({ user }) => user.id));
      const expected = summarizeGuild(backup, { botIds, userIds });
      return {
        status,
        losses: warnings.filter((sentence: string) => !isAboutGain(sentence)),
        summary: { expected, after: summarizeGuild(after) },
        violations: visibility.findViolations(backup, before, after),
      };
    },
    async stop() {
      await service.stop();
      await simulator.stop();
    },
  };
};

/** Warnings also name who gains permissions by the restore; those are not losses. */
const isAboutGain = (sentence: string): boolean => sentence.includes(' gains dangerous ');

const takeBackup = async (
  { logLines }: TestService,
  tenant: Tenant,
  serverId: string,
): Promise<string> => {
  const path = `/api/v1/servers/${serverId}/backups`;
  const { id } = (await tenant.call('POST', path, { body: {} })).body.data;
  const { status, warnings, error } = await readEnded(tenant, `${path}/${id}`);
  if (status === 'completed' && warnings.length === 0) return id;
  // The reason of an internal failure is only in the log.
  throw new Error(`The backup is ${status}: ${error ?? warnings.join()} ${logLines.at(-1)}`);
};

/** How it is asked for, and whether channels follow their category on the platform. */
type RestoreHow = { mode?: 'REPLACE' | 'REPAIR'; deleteExtra?: boolean; syncs?: boolean };
type RestoreRequest = {
  serverId: string;
  backupId: string;
  targetServerId: string;
  body: Omit<RestoreHow, 'syncs'>;
};

/** By a person with a second factor: a key gives nobody power in another guild. */
const restore = async (service: TestService, tenant: Tenant, request: RestoreRequest) => {
  const { serverId, backupId, targetServerId, body } = request;
  const browser = await openWithFactor(service, tenant);
  const path = `/servers/${serverId}/backups/${backupId}/restore`;
  const reply = await browser.call('POST', path, { targetServerId, ...body });
  if (reply.status !== 202) throw new Error(`No restore: ${reply.text}`);
  return readEnded(tenant, `/api/v1/restores/${reply.body.data.id}`);
};

const readEnded = (tenant: Tenant, path: string) =>
  eventually(patienceMs, async () => {
    const { data } = (await tenant.call('GET', path)).body;
    if (underWay.includes(data.status)) throw new Error(`${path} is ${data.status}`);
    return data;
  });
