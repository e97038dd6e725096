import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { CurrentMember, GuildPlatform } from '../port.ts';
import { ban, member } from '../shapes/people.ts';
import { banOf, memberOf } from '../translate/people.ts';

/** The platform's largest page. */
const pageSize = 1000;

type BanCalls = Pick<GuildPlatform, 'readBans' | 'ban' | 'unban'>;

export const createBanCalls = ({ guildId, call, send }: GuildCalls): BanCalls => ({
  async readBans(afterUserId) {
    const bans = await call({
      method: 'GET',
      path: path`guilds/${guildId}/bans`,
      query: { limit: String(pageSize), after: afterUserId },
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
  'readMembers' | 'readMemberPage' | 'readMember' | keyof EditCalls
>;

const listMembers = ({ guildId, call }: GuildCalls, afterUserId: string) =>
  call({
    method: 'GET',
    path: path`guilds/${guildId}/members`,
    query: { limit: String(pageSize), after: afterUserId },
    answer: z.array(member),
  });

const currentMemberOf = (found: z.output<typeof member>): CurrentMember => ({
  ...memberOf(found),
  joinedAt: found.joined_at,
  username: found.user.username,
});

export const createMemberCalls = (calls: GuildCalls): MemberCalls => ({
  ...createEditCalls(calls),
  async readMembers(afterUserId) {
    return (await listMembers(calls, afterUserId)).map(memberOf);
  },
  async readMemberPage(afterUserId) {
    const members = await listMembers(calls, afterUserId);
    return { members: members.map(currentMemberOf), isLast: members.length < pageSize };
  },
  async readMember(userId) {
    const endpoint = path`guilds/${calls.guildId}/members/${userId}`;
    return currentMemberOf(await calls.call({ method: 'GET', path: endpoint, answer: member }));
  },
});

type EditCalls = Pick<GuildPlatform, 'editMember' | 'giveRole' | 'giveRoles' | 'addMember'>;

const createEditCalls = ({ guildId, call, send }: GuildCalls): EditCalls => ({
  async editMember(userId, { nick, roleIds, timedOutUntil }) {
    const others = { nick, communication_disabled_until: timedOutUntil };
    const isAsked = typeof roleIds === 'function';
    await send({
      method: 'PATCH',
      path: path`guilds/${guildId}/members/${userId}`,
      ...(isAsked
        ? { lateBody: async () => ({ ...others, roles: await roleIds() }) }
        : { body: { ...others, roles: roleIds } }),
    });
  },
  giveRole: async (userId, roleId, mayGive) =>
    send({
      method: 'PUT',
      path: path`guilds/${guildId}/members/${userId}/roles/${roleId}`,
      lateBody: async () => ((await mayGive()).some((id) => id === roleId) ? {} : undefined),
    }),
  giveRoles: async ({ userId, roleIds: held }, { roleIds, nick }) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/members/${userId}`,
      async lateBody() {
        const given = await roleIds();
        if (given.length === 0) return nick === undefined ? undefined : { nick };
        return { nick, roles: [...held, ...given] };
      },
    }),
  async addMember(userId, accessToken, { roleIds, nick } = {}) {
    const joined = await call({
      method: 'PUT',
      path: path`guilds/${guildId}/members/${userId}`,
      async lateBody() {
        const given = (await roleIds?.()) ?? [];
        const token = await accessToken();
        const roles = given.length === 0 ? undefined : given;
        return token && { access_token: token.reveal(), nick, roles };
      },
      answer: member.optional(),
    });
    return joined === undefined ? 'alreadyMember' : 'joined';
  },
});
