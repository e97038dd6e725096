import type { SimulatedGuild } from '../simulator/guild-state.ts';

type Told = SimulatedGuild & {
  messages: { id: string; channel_id: string; content: string; author: { id: string } }[];
};

const nick = 'CANARY-NICK';
const reason = 'CANARY-REASON';
const content = 'CANARY-MESSAGE';

/** The seeded community with marks on all that no buyer may see. */
export const markGuild = (made: Told): Told => {
  const state = structuredClone(made);
  for (const member of state.members) member.nick = `${nick} ${member.user.id}`.slice(0, 32);
  for (const ban of state.bans) ban.reason = reason;
  for (const message of state.messages) message.content = content;
  const [member] = state.members.slice(-1);
  const text = state.channels.find(({ type, topic }) => type === 0 && typeof topic === 'string');
  if (!member || !text) throw new Error('The simulator made another community than expected');
  text.topic = `Ask <@${member.user.id}>, or write in <#${text.id}>`;
  text.permission_overwrites = [
    ...text.permission_overwrites,
    { id: member.user.id, type: 1, allow: '3072', deny: '0' },
  ];
  return state;
};

/** Every text that must not be found: marks, people, and ids of whatever the seller's guild holds. */
export const canariesOf = (state: Told): string[] => {
  const people = [...state.members, ...state.bans].map(({ user }) => user.id);
  const things = [...state.roles, ...state.channels, ...state.emojis, ...state.stickers];
  const all = [
    ...[nick, reason, content, state.guild.id, ...people],
    ...things.map(({ id }) => id),
    ...state.messages.flatMap(({ id, author }) => [id, author.id]),
  ];
  // All communities that the simulator seeds have the same owner.
  return all.filter((canary) => canary !== state.guild.owner_id);
};

/** Bits of the permissions that no template has, by the platform's numbers. */
const dangerousBits = [1, 2, 3, 4, 5, 7, 13, 17, 27, 28, 29, 30, 33, 34, 40];
const dangerousMask = dangerousBits.reduce((mask, bit) => mask | (1n << BigInt(bit)), 0n);
const withoutDanger = (permissions: string): string => String(BigInt(permissions) & ~dangerousMask);

/**
 * The same community as its template has it: without people, without the roles of bots and without
 * dangerous permissions. What is denied stays denied.
 */
export const withoutPeople = (state: Told): Told => {
  const layout = structuredClone(state);
  const managed = new Set(layout.roles.flatMap(({ id, managed: is }) => (is ? [id] : [])));
  layout.roles = layout.roles
    .filter(({ id }) => !managed.has(id))
    .map((role) => ({ ...role, permissions: withoutDanger(role.permissions) }));
  const names = new Map(layout.channels.map(({ id, name }) => [id, name]));
  for (const channel of layout.channels) {
    channel.permission_overwrites = channel.permission_overwrites
      .filter(({ id, type }) => type === 0 && !managed.has(id))
      .map((overwrite) => ({ ...overwrite, allow: withoutDanger(overwrite.allow) }));
    if ('last_message_id' in channel) channel.last_message_id = null;
    if (typeof channel.topic !== 'string') continue;
    channel.topic = channel.topic
      .replace(/<@\d+>/g, '@someone')
      .replace(/<#(\d+)>/g, (_, id) => `#${names.get(id)}`);
  }
  return layout;
};
