import type { Holdfast } from '@holdfast/sdk';
import { eventually } from '../eventually.ts';
import type { LocalService } from '../local-service.ts';
import { addCommunity } from '../simulator/community.ts';
import { demoClient } from './demo-content.ts';

type Demo = { service: LocalService; holdfast: Holdfast; serverId: string; guildId: string };

/** The demo community, with something of every part, and without the platform's rate limits. */
export const openDemo = async (service: LocalService): Promise<Demo> => {
  const holdfast = demoClient(service);
  const [server] = (await holdfast.listServers()).data;
  if (!server) throw new Error('The demo has no server');
  const { id: serverId, platformGuildId: guildId } = server;
  await liftLimits(service);
  await addCommunity(service, guildId);
  return { service, holdfast, serverId, guildId };
};

const liftLimits = (service: LocalService, quotas: object = {}) =>
  service.control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 }, quotas });

export const backUp = async ({ holdfast, serverId }: Demo, name: string) =>
  holdfast.waitForBackup(await holdfast.createBackup({ params: { id: serverId }, body: { name } }));

/** Webhooks, a rule and the onboarding are gone or changed, and so is the role of verified members. */
export const damage = async ({ service, holdfast, serverId, guildId }: Demo): Promise<void> => {
  const guild = await service.control('GET', `/guilds/${guildId}`);
  const role = guild.roles.find(
    ({ id, managed }: { id: string; managed: boolean }) => id !== guildId && !managed,
  );
  const channel = guild.channels.find(({ type }: { type: number }) => type === 0);
  const body = { verifiedRoleId: role.id, logChannelId: channel.id };
  await holdfast.updateServer({ params: { id: serverId }, body });
  const isLeft = ({ id }: { id: string }) => ![role.id, channel.id].includes(id);
  await service.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    roles: guild.roles.filter(isLeft),
    channels: guild.channels.filter(isLeft),
    ...{ webhooks: [], automod: guild.automod.slice(1), stickers: [] },
    onboarding: { ...guild.onboarding, prompts: [] },
  });
};

/** Half of the channels are gone. */
export const wreck = async ({ service, guildId }: Demo): Promise<void> => {
  const guild = await service.control('GET', `/guilds/${guildId}`);
  const channels = guild.channels.slice(0, guild.channels.length / 2);
  await service.control('PUT', `/guilds/${guildId}`, { ...guild, channels });
};

/** The guild does not exist any more. */
export const lose = async ({ service, guildId }: Demo): Promise<void> => {
  await service.control('DELETE', `/guilds/${guildId}`);
};

/** Its application has none of the privileged intents any more. */
export const takeIntents = async ({ service, holdfast }: Demo): Promise<void> => {
  const [bot] = await holdfast.listBots();
  await service.control('PUT', `/bots/${bot?.clientId}`, { intents: [] });
};

export const repair = async ({ holdfast, serverId }: Demo, backupId: string): Promise<string> => {
  const params = { id: serverId, backupId };
  const restore = await holdfast.restoreBackup({ params, body: { mode: 'REPAIR' } });
  return (await holdfast.waitForRestore(restore)).id;
};

/** A restore that the platform lets make no channel for an hour. */
export const waitForQuota = async (
  { service, holdfast, serverId }: Demo,
  backupId: string,
): Promise<string> => {
  await liftLimits(service, { channels: { limit: 1, perMs: 3_600_000 } });
  const params = { id: serverId, backupId };
  const { id } = await holdfast.restoreBackup({ params, body: { mode: 'REPLACE' } });
  await eventually(30_000, async () => {
    const { resumesAt } = await holdfast.getRestore({ params: { id } });
    if (resumesAt === null) throw new Error('It does not wait');
  });
  return id;
};

/** A pull in which one member is no longer authorised. */
export const pullWithLost = async ({ service, holdfast, serverId }: Demo): Promise<string> => {
  const params = { id: serverId };
  const { data } = await holdfast.listMembers({ params, query: { pullable: true, limit: 1 } });
  await service.control('PUT', `/users/${data[0]?.platformId}`, { tokenState: 'revoked' });
  return (await holdfast.waitForPull(await holdfast.createPull({ params }))).id;
};
