import {
  createModelGuild,
  type ModelGuild,
} from '../../../src/features/restores/verify/model-guild.ts';
import type { Channel, Overwrite } from '../../../src/platform/guild.ts';
import { BOT, type TestGuild } from '../guilds/arbitrary-guild.ts';
import { readAccess } from './access.ts';

const bit = (position: number) => 1n << BigInt(position);
const [administrator, manageChannels, viewChannel] = [bit(3), bit(4), bit(10)];
const [connect, manageRoles] = [bit(20), bit(28)];

const lacks = (granted: bigint, required: bigint): boolean => (granted & required) !== required;

const grantedTo = ({ roles, guildId }: TestGuild): bigint => {
  const granted = roles
    .filter(({ id }) => id === guildId || BOT.roleIds.includes(id))
    .reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  return granted & administrator ? -1n : granted;
};

/** A guild in memory that refuses what the platform would not let the bot do to roles and channels. */
export const createPermittedGuild = (state: TestGuild): ModelGuild => {
  const guild = createModelGuild(state);
  const refuse = (what: string) => {
    throw new Error(`The bot may not ${what}`);
  };
  const requireEntry = (id: string, more = 0n) => {
    const { kind } = channelOf(state, id);
    const isVoice = kind === 'voice' || kind === 'stage';
    const required = more | manageChannels | viewChannel | (isVoice ? connect : 0n);
    const granted = readAccess(state).bits.get(id)?.get(`member ${BOT.userId}`) ?? 0n;
    if (lacks(granted, required)) refuse(`change channel ${id}`);
  };
  const requireSettable = (now: Overwrite[], wanted: Overwrite[]) => {
    const granted = grantedTo(state);
    const settable = granted & administrator ? granted : granted & ~manageRoles;
    const changed = wanted.reduce((all, one) => all | changedBits(now, one), 0n);
    if (lacks(settable, changed)) refuse(`set ${changed & ~settable} in a channel`);
  };
  const requireRank = (roleId: string) => {
    if (roleId !== state.guildId && rankOf(state, roleId) >= rankOf(state, BOT.roleIds[0] ?? '')) {
      refuse(`change role ${roleId}`);
    }
  };
  return {
    ...guild,
    editRole: async (roleId, changes) => {
      requireRank(roleId);
      const now = BigInt(state.roles.find(({ id }) => id === roleId)?.permissions ?? 0);
      const given = BigInt(changes.permissions ?? 0) & ~now;
      if (lacks(grantedTo(state), given | manageRoles)) refuse(`give ${given} to role ${roleId}`);
      return guild.editRole(roleId, changes);
    },
    deleteRole: async (roleId) => {
      requireRank(roleId);
      return guild.deleteRole(roleId);
    },
    createChannel: async (input) => {
      if (lacks(grantedTo(state), manageChannels)) refuse('create channels');
      requireSettable([], input.overwrites);
      return guild.createChannel(input);
    },
    editChannel: async (id, changes) => {
      requireEntry(id, changes.overwrites ? manageRoles : 0n);
      requireSettable(channelOf(state, id).overwrites, changes.overwrites ?? []);
      return guild.editChannel(id, changes);
    },
    deleteChannel: async (id) => {
      requireEntry(id);
      return guild.deleteChannel(id);
    },
  };
};

const channelOf = ({ channels }: TestGuild, id: string): Channel => {
  const found = channels.find((channel) => channel.id === id);
  if (!found) throw new Error(`There is no channel ${id}`);
  return found;
};

const rankOf = ({ roles }: TestGuild, roleId: string): number =>
  roles.find(({ id }) => id === roleId)?.position ?? 0;

/** What stays as it is needs no permission. */
const changedBits = (now: Overwrite[], { id, kind, allow, deny }: Overwrite): bigint => {
  const is = now.find((one) => one.id === id && one.kind === kind);
  return (BigInt(is?.allow ?? 0) ^ BigInt(allow)) | (BigInt(is?.deny ?? 0) ^ BigInt(deny));
};
