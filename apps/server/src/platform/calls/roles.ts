import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { GuildPlatform } from '../port.ts';
import { role } from '../shapes/role.ts';
import { dataUriOf } from '../translate/guild.ts';
import { newRoleBodyOf, roleBodyOf, roleOf } from '../translate/role.ts';

type RoleCalls = Pick<
  GuildPlatform,
  'createRole' | 'editRole' | 'placeRoles' | 'deleteRole' | 'setRoleIcon'
>;

export const createRoleCalls = ({ guildId, call, send }: GuildCalls): RoleCalls => ({
  async createRole(input) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/roles`,
      body: newRoleBodyOf(input),
      answer: role,
    });
    return roleOf(created);
  },
  async editRole(roleId, changes) {
    const edited = await call({
      method: 'PATCH',
      path: path`guilds/${guildId}/roles/${roleId}`,
      body: roleBodyOf(changes),
      answer: role,
    });
    return roleOf(edited);
  },
  setRoleIcon: async (roleId, icon) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/roles/${roleId}`,
      body: { icon: icon && dataUriOf(icon) },
    }),
  placeRoles: async (places) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/roles`,
      body: places.map(({ id, position }) => ({ id, position })),
    }),
  deleteRole: async (roleId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/roles/${roleId}` }),
});
