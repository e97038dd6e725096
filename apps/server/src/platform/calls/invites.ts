import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { invitePath, path } from '../client/urls.ts';
import type { GuildPlatform } from '../port.ts';

type InviteCalls = Pick<
  GuildPlatform,
  'createInvite' | 'readInviteRoles' | 'readRolesOfInvites' | 'setInviteUsers' | 'deleteInvite'
>;

const invite = z.object({ code: z.string(), expires_at: z.string().nullish() });

const inviteRoles = z.object({ roles: z.array(z.object({ id: z.string() })).nullish() });

export const createInviteCalls = ({ guildId, call, send }: GuildCalls): InviteCalls => ({
  async createInvite(channelId, { userIds, roleIds, maxAgeSeconds }) {
    const { code, expires_at } = await call({
      method: 'POST',
      path: path`channels/${channelId}/invites`,
      body: { max_age: maxAgeSeconds, max_uses: 0, unique: true, role_ids: roleIds },
      file: listOf(userIds),
      answer: invite,
    });
    return { code, expiresAt: expires_at ? new Date(expires_at) : null };
  },
  async readInviteRoles(code) {
    const answer = inviteRoles;
    const { roles } = await call({ method: 'GET', path: invitePath(code), answer });
    return roles?.map(({ id }) => id) ?? [];
  },
  async readRolesOfInvites() {
    const answer = z.array(inviteRoles).nullable();
    const invites = await call({ method: 'GET', path: path`guilds/${guildId}/invites`, answer });
    return (invites ?? []).flatMap(({ roles }) => roles?.map(({ id }) => id) ?? []);
  },
  setInviteUsers: async (code, userIds) =>
    send({ method: 'PUT', path: invitePath(code, '/target-users'), file: listOf(userIds) }),
  deleteInvite: async (code) => send({ method: 'DELETE', path: invitePath(code) }),
});

/** One id in each line. */
const listOf = (userIds: string[]) => ({
  field: 'target_users_file',
  name: 'target_users.csv',
  contentType: 'text/csv',
  bytes: new TextEncoder().encode(`${userIds.join('\n')}\n`),
});
