import {
  type BotMember,
  botPermissionsIn,
  compareRank,
  includes,
  permission,
} from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { planStop } from '../../protection/contain/plan-stop.ts';
import { idsAbove } from '../../restores/verify/model-guild.ts';
import { castAttacker, rolesWith } from './cast-attacker.ts';
import { simulatorStateOf } from './simulator-state.ts';
import { type Structure, withoutPeople } from './without-people.ts';

/** The copy of a server that a drill attacks, and who attacks it. */
export const planCopy = (snapshot: Snapshot, bot: BotMember) => {
  const newId = idsAbove(idsIn(snapshot, bot));
  const [ownerId, attackerId] = [newId(), newId()];
  const empty = withoutPeople(snapshot, { botUserId: bot.userId, newId });
  const { guildId } = empty;
  const cast = castAttacker({ guildId, ownerId, roles: empty.roles }, bot, newId);
  const structure: Structure = { ...empty, roles: rolesWith(empty.roles, cast) };
  const attacker = { userId: attackerId, roleIds: [cast.role.id] };
  const guild = { guildId, ownerId, roles: structure.roles };
  const { code } = planStop(
    { ...attacker, isBot: false },
    { guild, bot: botPermissionsIn(bot, guild) },
  );
  return {
    ...{ structure, bot, attacker },
    state: simulatorStateOf(structure, { ownerId, bot, attacker }),
    /** Why the bot could not stop the attacker; null where it can. */
    cannotStop: code,
    targets: targetsOf(structure, cast.role),
  };
};

const idsIn = ({ guildId, roles = [], channels = [], emojis = [] }: Snapshot, bot: BotMember) => [
  ...[guildId, bot.userId],
  ...[...roles, ...channels, ...emojis].map(({ id }) => id),
];

type Role = Structure['roles'][number];

/** What the attacker may delete: roles only below their own. */
const targetsOf = ({ guildId, roles, channels }: Structure, own: Role) => {
  const bits = BigInt(own.permissions);
  const may = (bit: bigint) => includes(bits, bit) || includes(bits, permission.administrator);
  const below = roles.filter(
    (role) => !role.isManaged && role.id !== guildId && compareRank(role, own) < 0,
  );
  return {
    channelIds: may(permission.manageChannels) ? channels.map(({ id }) => id) : [],
    roleIds: may(permission.manageRoles) ? below.map(({ id }) => id) : [],
  };
};
