import { z } from 'zod';
import { path } from '../path.ts';
import type { GuildPlatform } from '../port.ts';
import { role } from '../shapes/role.ts';
import { newRoleBodyOf, roleBodyOf, roleOf } from '../translate/role.ts';
import type { GuildCalls } from './guild-calls.ts';

type RoleVerbs = Pick<GuildPlatform, 'createRole' | 'editRole' | 'placeRoles' | 'deleteRole'>;

export const createRoleVerbs = ({ guildId, call }: GuildCalls): RoleVerbs => ({
  async createRole(wish) {
    return roleOf(
      await call({
        method: 'POST',
        path: path`guilds/${guildId}/roles`,
        body: newRoleBodyOf(wish),
        answer: role,
      }),
    );
  },
  async editRole(roleId, changes) {
    return roleOf(
      await call({
        method: 'PATCH',
        path: path`guilds/${guildId}/roles/${roleId}`,
        body: roleBodyOf(changes),
        answer: role,
      }),
    );
  },
  async placeRoles(places) {
    await call({
      method: 'PATCH',
      path: path`guilds/${guildId}/roles`,
      body: places.map(({ id, position }) => ({ id, position })),
      answer: z.unknown(),
    });
  },
  async deleteRole(roleId) {
    await call({
      method: 'DELETE',
      path: path`guilds/${guildId}/roles/${roleId}`,
      answer: z.unknown(),
    });
  },
});
