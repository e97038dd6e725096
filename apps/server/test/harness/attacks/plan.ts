import { permission } from '../../../src/platform/permissions.ts';
import { freshId } from '../simulator/platform.ts';
import { type Answer, answerOf, type Send } from './act.ts';

export type AttackKind = keyof typeof plans;

/** One blow: what it hits, and the call. */
export type Blow = {
  kind: AttackKind;
  targetId: string;
  strike(send: Send, attackerId: string): Promise<Answer>;
};

type Role = { id: string; position: number; managed: boolean };
type Member = { user: { id: string }; roles: string[] };
type Scene = {
  guildId: string;
  simulatorUrl: string;
  channelIds: string[];
  emojiIds: string[];
  /** Those below the weakest of the attackers, the lowest first. */
  roles: Role[];
  memberIds: string[];
};

/** Whatever the attackers can destroy, as they would look it up themselves. */
export const planBlows = async (
  { guildId, simulatorUrl }: { guildId: string; simulatorUrl: string },
  { send, attackerIds, kinds }: { send: Send; attackerIds: string[]; kinds: AttackKind[] },
): Promise<Blow[]> => {
  const read = async (path: string) => {
    const { status, body } = await send('GET', path);
    if (status !== 200) throw new Error(`The attackers cannot look around: ${status} at ${path}`);
    return body;
  };
  const guild = await read(`/guilds/${guildId}`);
  const channels: { id: string; type: number }[] = await read(`/guilds/${guildId}/channels`);
  const members: Member[] = await read(`/guilds/${guildId}/members?limit=1000`);
  const roles: Role[] = guild.roles;
  const positions = new Map(roles.map(({ id, position }) => [id, position]));
  const rankOf = ({ roles: ids }: Member) =>
    Math.max(0, ...ids.map((id) => positions.get(id) ?? 0));
  const attackers = members.filter(({ user }) => attackerIds.includes(user.id));
  const weakest = Math.min(...attackers.map(rankOf));
  const isBelow = ({ id, managed, position }: Role) =>
    id !== guildId && !managed && position < weakest;
  const scene: Scene = {
    ...{ guildId, simulatorUrl },
    channelIds: channels.filter(({ type }) => type === 0).map(({ id }) => id),
    emojiIds: guild.emojis.map(({ id }: { id: string }) => id),
    roles: roles.filter(isBelow),
    memberIds: members
      .filter((one) => rankOf(one) < weakest && one.user.id !== guild.owner_id)
      .map(({ user }) => user.id),
  };
  return kinds.flatMap((kind) => plans[kind](scene).map((blow) => ({ kind, ...blow })));
};

type Plan = (scene: Scene) => Omit<Blow, 'kind'>[];

const call = (targetId: string, method: string, path: string, body?: object) => ({
  targetId,
  strike: (send: Send) => send(method, path, body),
});

const plans = {
  deleteChannels: ({ channelIds }) => channelIds.map((id) => call(id, 'DELETE', `/channels/${id}`)),
  deleteRoles: ({ guildId, roles }) =>
    roles.map(({ id }) => call(id, 'DELETE', `/guilds/${guildId}/roles/${id}`)),
  deleteEmojis: ({ guildId, emojiIds }) =>
    emojiIds.map((id) => call(id, 'DELETE', `/guilds/${guildId}/emojis/${id}`)),
  banMembers: ({ guildId, memberIds }) =>
    memberIds.map((id) => call(id, 'PUT', `/guilds/${guildId}/bans/${id}`, {})),
  kickMembers: ({ guildId, memberIds }) =>
    memberIds.map((id) => call(id, 'DELETE', `/guilds/${guildId}/members/${id}`)),
  spamWebhooks: ({ channelIds }) =>
    channelIds.map((targetId) => ({ targetId, strike: spam(targetId) })),
  grantAdmin: ({ guildId, roles }) =>
    roles.map(({ id }) =>
      call(id, 'PATCH', `/guilds/${guildId}/roles/${id}`, {
        permissions: permission.administrator.toString(),
      }),
    ),
  addBots: ({ guildId, simulatorUrl }) =>
    Array.from({ length: 20 }, freshId).map((botId) => ({
      targetId: botId,
      // People add bots in their client, not by a call of the platform's API.
      async strike(_: Send, byUserId: string) {
        const sentAt = performance.now();
        const response = await fetch(`${simulatorUrl}/__sim/guilds/${guildId}/bots`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ botId, byUserId }),
        });
        return answerOf(response, sentAt);
      },
    })),
  prune: ({ guildId }) => [call(guildId, 'POST', `/guilds/${guildId}/prune`, { days: 1 })],
} satisfies Record<string, Plan>;

/** A webhook, and what it is made for. */
const spam = (channelId: string) => async (send: Send) => {
  const made = await send('POST', `/channels/${channelId}/webhooks`, { name: 'News' });
  const { id, token } = made.body;
  if (token) await send('POST', `/webhooks/${id}/${token}`, { content: '@everyone gift' });
  return made;
};
