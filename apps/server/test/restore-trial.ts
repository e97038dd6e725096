import { eventually } from './eventually.ts';
import type { TestGuild } from './guild-arbitraries.ts';
import {
  createBot,
  createServer,
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from './harness.ts';
import { startTestSimulator } from './simulator.ts';
import { type SimulatedGuild, toSimulator } from './simulator-guild.ts';
import { likenessOf } from './simulator-likeness.ts';
import { createSight } from './simulator-sight.ts';

export type RestoreTrial = Awaited<ReturnType<typeof createRestoreTrial>>;

const patienceMs = 240_000;
const underWay = ['queued', 'snapshotting', 'running'];

/** A service and a platform of its own, on which servers are backed up, wrecked and restored. */
export const createRestoreTrial = async () => {
  const sight = createSight();
  const simulator = await startTestSimulator({ onApplied: sight.onApplied });
  const service = await startTestService({ doesWork: true, platformApiUrl: simulator.apiUrl });

  const put = (guild: TestGuild, botId: string) =>
    simulator.control('PUT', `/guilds/${guild.guildId}`, toSimulator(guild, botId));
  const look = (guildId: string): Promise<SimulatedGuild> =>
    simulator.control('GET', `/guilds/${guildId}`);

  return {
    /** Backs a server up and restores it over another, or over what has become of itself. */
    async restoreOver(guild: TestGuild, target: TestGuild) {
      const tenant = await service.newTenant();
      const botId = randomPlatformId();
      const botToken = `${btoa(botId)}.token-value`;
      const customBotId = await createBot(tenant, { clientId: botId, botToken });
      const own = (platformGuildId: string) =>
        createServer(tenant, { platformGuildId, customBotId });

      await put(guild, botId);
      const serverId = await own(guild.guildId);
      const backupId = await takeBackup(service, tenant, serverId);
      const backup = await look(guild.guildId);

      await put(target, botId);
      const isItself = target.guildId === guild.guildId;
      const targetServerId = isItself ? serverId : await own(target.guildId);
      const before = await look(target.guildId);
      sight.begin(target.guildId);
      const { status, warnings } = await restore(tenant, { serverId, backupId, targetServerId });
      const after = await look(target.guildId);

      const botIds = new Set(before.roles.flatMap(({ tags }) => tags?.bot_id ?? []));
      const userIds = new Set(before.members.map(({ user }) => user.id));
      const wanted = likenessOf(backup, { botIds, userIds });
      return {
        status,
        losses: warnings.filter((sentence: string) => !isAboutGain(sentence)),
        likeness: { wanted, after: likenessOf(after) },
        wrongs: sight.findWrongs(backup, before, after),
      };
    },
    async stop() {
      await service.stop();
      await simulator.stop();
    },
  };
};

/** Who is given power by a restore is named in its warnings, too, and nothing is missing for it. */
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
  // The reason of an internal failure stands in the log alone.
  throw new Error(`The backup is ${status}: ${error ?? warnings.join()} ${logLines.at(-1)}`);
};

type Wish = { serverId: string; backupId: string; targetServerId: string };

const restore = async (tenant: Tenant, { serverId, backupId, targetServerId }: Wish) => {
  const path = `/api/v1/servers/${serverId}/backups/${backupId}/restore`;
  const reply = await tenant.call('POST', path, { body: { targetServerId } });
  if (reply.status !== 202) throw new Error(`No restore: ${reply.text}`);
  return readEnded(tenant, `/api/v1/restores/${reply.body.data.id}`);
};

const readEnded = (tenant: Tenant, path: string) =>
  eventually(patienceMs, async () => {
    const { data } = (await tenant.call('GET', path)).body;
    if (underWay.includes(data.status)) throw new Error(`${path} is ${data.status}`);
    return data;
  });
