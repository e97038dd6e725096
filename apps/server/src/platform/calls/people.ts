import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { GuildPlatform } from '../port.ts';
import { ban, member } from '../shapes/people.ts';
import { banOf, memberOf } from '../translate/people.ts';

/** The platform's largest page. */
const pageSize = '1000';

type BanCalls = Pick<GuildPlatform, 'readBans' | 'ban' | 'unban'>;

export const createBanCalls = ({ guildId, call, send }: GuildCalls): BanCalls => ({
  async readBans(afterUserId) {
    const bans = await call({
      method: 'GET',
      path: path`guilds/${guildId}/bans`,
      query: { limit: pageSize, after: afterUserId },
      answer: z.array(ban),
    });
    return bans.map(banOf);
  },
  ban: async (userId, reason) =>
    send({
      method: 'PUT',
      path: path`guilds/${guildId}/bans/${userId}`,
      body: {},
      // The platform stores a call's reason as the ban's own: a ban without one is sent without.
      reason: reason ?? '',
    }),
  unban: async (userId) => send({ method: 'DELETE', path: path`guilds/${guildId}/bans/${userId}` }),
});

type MemberCalls = Pick<
  GuildPlatform,
  'readMembers' | 'readMember' | 'editMember' | 'giveRole' | 'addMember'
>;

export const createMemberCalls = ({ guildId, call, send }: GuildCalls): MemberCalls => ({
  async readMembers(afterUserId) {
    const members = await call({
      method: 'GET',
      path: path`guilds/${guildId}/members`,
      query: { limit: pageSize, after: afterUserId },
      answer: z.array(member),
    });
    return members.map(memberOf);
  },
  async readMember(userId) {
    const endpoint = path`guilds/${guildId}/members/${userId}`;
    const found = await call({ method: 'GET', path: endpoint, answer: member });
    return { ...memberOf(found), joinedAt: found.joined_at };
  },
  editMember: async (userId, { nick, roleIds }) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/members/${userId}`,
      body: { nick, roles: roleIds },
    }),
  giveRole: async (userId, roleId) =>
    send({ method: 'PUT', path: path`guilds/${guildId}/members/${userId}/roles/${roleId}` }),
  async addMember(userId, accessToken, { roleIds = [], nick } = {}) {
    const joined = await call({
      method: 'PUT',
      path: path`guilds/${guildId}/members/${userId}`,
      async lateBody() {
        const token = await accessToken();
        const roles = roleIds.length === 0 ? undefined : roleIds;
        return token && { access_token: token.reveal(), nick, roles };
      },
      answer: member.optional(),
    });
    return joined === undefined ? 'alreadyMember' : 'joined';
  },
});
