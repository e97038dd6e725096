import { z } from 'zod';
import { path } from '../path.ts';
import type { GuildPlatform } from '../port.ts';
import { ban, member } from '../shapes/member.ts';
import { banOf, memberOf } from '../translate/people.ts';
import type { GuildCalls } from './guild-calls.ts';

/** As many as the platform gives at once. */
const pageSize = '1000';

type BanVerbs = Pick<GuildPlatform, 'readBans' | 'ban' | 'unban'>;

export const createBanVerbs = ({ guildId, call }: GuildCalls): BanVerbs => ({
  async readBans(afterUserId) {
    const bans = await call({
      method: 'GET',
      path: path`guilds/${guildId}/bans`,
      query: { limit: pageSize, after: afterUserId },
      answer: z.array(ban),
    });
    return bans.map(banOf);
  },
  async ban(userId, reason) {
    await call({
      method: 'PUT',
      path: path`guilds/${guildId}/bans/${userId}`,
      body: {},
      reason: reason === null ? undefined : shortenReason(reason),
      answer: z.unknown(),
    });
  },
  async unban(userId) {
    await call({
      method: 'DELETE',
      path: path`guilds/${guildId}/bans/${userId}`,
      answer: z.unknown(),
    });
  },
});

const longestReason = 512;

/** By whole characters: half of one cannot be sent in a header. */
const shortenReason = (reason: string): string =>
  [...reason.toWellFormed()].slice(0, longestReason).join('');

type MemberVerbs = Pick<
  GuildPlatform,
  'readMembers' | 'readMember' | 'editMember' | 'giveRole' | 'addMember'
>;

export const createMemberVerbs = ({ guildId, call }: GuildCalls): MemberVerbs => ({
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
    const where = path`guilds/${guildId}/members/${userId}`;
    const found = await call({ method: 'GET', path: where, answer: member });
    return { ...memberOf(found), joinedAt: found.joined_at };
  },
  async editMember(userId, { nick, roleIds }) {
    await call({
      method: 'PATCH',
      path: path`guilds/${guildId}/members/${userId}`,
      body: { nick, roles: roleIds },
      answer: z.unknown(),
    });
  },
  async giveRole(userId, roleId) {
    await call({
      method: 'PUT',
      path: path`guilds/${guildId}/members/${userId}/roles/${roleId}`,
      answer: z.unknown(),
    });
  },
  async addMember(userId, accessToken, roleIds) {
    const joined = await call({
      method: 'PUT',
      path: path`guilds/${guildId}/members/${userId}`,
      async lateBody() {
        const token = await accessToken();
        return token && { access_token: token.reveal(), roles: roleIds };
      },
      answer: member.optional(),
    });
    return joined === undefined ? 'alreadyMember' : 'joined';
  },
});
