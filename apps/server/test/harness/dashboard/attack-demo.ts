import { permission } from '../../../src/platform/permissions.ts';
import { attack } from '../attacks/attack.ts';
import { eventually } from '../eventually.ts';
import type { LocalService } from '../local-service.ts';
import { accountOfAge } from '../raids.ts';
import { randomPlatformId } from '../service.ts';

type Demo = { service: LocalService; guildId: string };
type Guild = { roles: { id: string }[]; members: { user: { id: string }; roles: string[] }[] };

const readGuild = ({ service, guildId }: Demo): Promise<Guild> =>
  service.control('GET', `/guilds/${guildId}`);

/** Somebody of that name who may do everything, by a role below the bot's. */
export const addAdmin = async (demo: Demo, name: string) => {
  const [personId, roleId] = [randomPlatformId(), randomPlatformId()];
  const guild = await readGuild(demo);
  const role = { id: roleId, name: 'Captain', permissions: `${permission.administrator}` };
  await demo.service.control('PUT', `/users/${personId}`, { username: name });
  await demo.service.control('PUT', `/guilds/${demo.guildId}`, {
    ...guild,
    roles: [...guild.roles, { ...role, position: 1, managed: false }],
    members: [...guild.members, { user: { id: personId, username: name }, roles: [roleId] }],
  });
  return {
    personId,
    hasRole: async (): Promise<boolean> =>
      (await readGuild(demo)).members.some(
        ({ user, roles }) => user.id === personId && roles.includes(roleId),
      ),
  };
};

/** Deletes channels, faster than a person can, until it is refused. */
export const deleteChannelsAs = async ({ service, guildId }: Demo, personId: string) => {
  const { simulatorUrl } = service;
  const { landed } = await attack(
    { url: simulatorUrl, apiUrl: `${simulatorUrl}/api` },
    { guildId, attackerIds: [personId], kinds: ['deleteChannels'], gapMs: 60 },
  );
  return landed.length;
};

/** So many accounts of today join at once, as soon as invites are open. */
export const raid = async ({ service, guildId }: Demo, people: number): Promise<void> => {
  await eventually(30_000, async () => {
    const { guild } = await service.control('GET', `/guilds/${guildId}`);
    if (guild.incidents_data?.invites_disabled_until) throw new Error('Invites are paused');
  });
  const users = Array.from({ length: people }, (_, index) => ({
    ...{ id: accountOfAge(0.5), username: `raider_${1000 + index}`, avatar: null },
  }));
  await service.control('POST', `/guilds/${guildId}/joins`, { users });
};
