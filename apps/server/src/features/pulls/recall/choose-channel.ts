import type { Channel, Overwrite, Role } from '../../../platform/guild.ts';
import {
  type BotMember,
  type BotPermissions,
  includes,
  permission,
  without,
} from '../../../platform/permissions.ts';
import type { Guild } from '../../../platform/port.ts';

type Place = {
  guildId: string;
  guild: Pick<Guild, 'settings' | 'roles'>;
  channels: Channel[];
  bot: BotPermissions & BotMember;
  /** The role that the invited get. */
  roleId: string | undefined;
};

/**
 * The channel that an invite leads to: the rules, the channel of system messages, or the first text
 * channel; among those in which the bot may create one, rather one that the invited can see.
 */
export const chooseChannel = (place: Place): Channel | undefined => {
  const { settings } = place.guild;
  const first = [settings.rulesChannelId, settings.systemChannelId];
  const rankOf = ({ id }: Channel) => (first.includes(id) ? first.indexOf(id) : first.length);
  const open = place.channels
    .filter(({ kind }) => kind === 'text' || kind === 'announcement')
    .filter((channel) => mayInvite(place, channel))
    .sort((one, other) => rankOf(one) - rankOf(other) || one.position - other.position);
  return open.find((channel) => canSee(place, channel)) ?? open[0];
};

const mayInvite = ({ bot, guildId }: Place, { overwrites }: Channel): boolean => {
  if (bot.isAdministrator) return true;
  const granted = applyOverwrites(bot.permissions, overwrites, { ...bot, guildId });
  return includes(granted, permission.viewChannel | permission.createInstantInvite);
};

const canSee = ({ guild, guildId, roleId }: Place, { overwrites }: Channel): boolean => {
  const roleIds = roleId === undefined ? [] : [roleId];
  const holds = ({ id }: Role) => id === guildId || id === roleId;
  const granted = guild.roles
    .filter(holds)
    .reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  if (includes(granted, permission.administrator)) return true;
  const person = { guildId, userId: undefined, roleIds };
  return includes(applyOverwrites(granted, overwrites, person), permission.viewChannel);
};

type Person = { guildId: string; userId: string | undefined; roleIds: string[] };

/** As the platform does it: for everyone, then for all roles together, then for the person. */
const applyOverwrites = (
  granted: bigint,
  overwrites: Overwrite[],
  { guildId, userId, roleIds }: Person,
): bigint => {
  const layers = [
    overwrites.filter(({ id, kind }) => kind === 'role' && id === guildId),
    overwrites.filter(({ id, kind }) => kind === 'role' && id !== guildId && roleIds.includes(id)),
    overwrites.filter(({ id, kind }) => kind === 'member' && id === userId),
  ];
  return layers.reduce((permissions, layer) => {
    const all = (field: 'allow' | 'deny') =>
      layer.reduce((bits, overwrite) => bits | BigInt(overwrite[field]), 0n);
    return without(permissions, all('deny')) | all('allow');
  }, granted);
};
