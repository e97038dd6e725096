import { isDeepStrictEqual } from 'node:util';
import type { BackupComponent, RestoreMode } from '@holdfast/contract';
import type { Channel, Role } from '../../../platform/guild.ts';
import {
  type BotMember,
  type BotPermissions,
  botPermissionsIn,
  includes,
  permission,
  without,
} from '../../../platform/permissions.ts';
import type { SectionEntry, Snapshot } from '../../backups/snapshot/snapshot.ts';
import { canManage } from './bot-permissions.ts';
import { emptyIdMap, type IdMap } from './id-map.ts';
import type { Loss, LossReason } from './loss.ts';
import { type ChannelMatch, matchChannels } from './match-channels.ts';
import { type ExpressionMatch, matchExpressions } from './match-expressions.ts';
import { matchRoles, type RoleMatch } from './match-roles.ts';
import { reachableRole } from './role-appearance.ts';
import type { GuildState, RestorePlan } from './step.ts';
import { isVisibleToEveryone } from './visibility.ts';
import type { Withholding } from './withholding.ts';

export type PlanInput = {
  /** The content of the backup. */
  snapshot: Snapshot;
  /** The target as it is. */
  current: GuildState;
  components: readonly BackupComponent[];
  /** When the content was saved; undefined where that does not matter. */
  savedAt?: Date;
  bot: BotMember;
  /** REPLACE where it is not given. */
  mode?: RestoreMode;
  /** For REPAIR: delete what the backup does not know. */
  deleteExtra?: boolean;
  /** Everything is known by its id, and what is not in the snapshot goes, bans too: see `undo/`. */
  isUndo?: boolean;
  /** The backup is a template. */
  isTemplate?: boolean;
  /** Of an undo: codes of invites that attackers made. */
  invitesToDelete?: readonly string[];
  /** Where things of the backup live in the target by now, by their own id or by earlier restores. */
  earlierIds?: IdMap;
  /** What unfinished restores of this backup created in the target since one was completed. */
  unfinishedIds?: IdMap;
  /** What of the content gives nobody power: it is left out, and lost. */
  withholding?: Withholding | undefined;
  /** Roles that people get without being given them by anybody; undefined where that is not known. */
  openRoles?: readonly string[] | undefined;
  /** Decides which events are over. */
  now?: Date;
};

/** What every part of the planner reads, and where it reports what is not a step. */
export type PlanContext = {
  snapshot: Snapshot;
  current: GuildState;
  /** Whether what is there is kept and edited, rather than channels made anew. */
  isRepair: boolean;
  /** Whether what the backup does not know is deleted. */
  deletesExtra: boolean;
  /** Whether bans that the backup does not know are lifted. */
  liftsBans: boolean;
  /** Whether only ids say which thing of the target is which of the backup. */
  matchesOnlyIds: boolean;
  /** What the bot can do in the target. */
  bot: BotPermissions;
  roleMatch: RoleMatch;
  channelMatch: ChannelMatch;
  expressionMatch: ExpressionMatch;
  /** The ids of the target that are known for ids of the backup. */
  idMap: IdMap;
  /** The backup's roles and channels, restored or not: other sections refer to them. */
  savedRoles: SectionEntry<'roles'>[];
  savedChannels: Channel[];
  /** The permissions of @everyone in the backup, now, and after the restore. */
  everyone: { saved: bigint; now: bigint; final: bigint };
  restores(component: BackupComponent): boolean;
  /** Whether a role of the backup, by its id there, is made anew. */
  createsRole(oldId: string): boolean;
  createsEmoji(oldId: string): boolean;
  /** Whether a channel of the target, by its id, is one of the backup. */
  isChannelKnown(id: string): boolean;
  /** Whether a channel is neither restored nor deleted, and so stays as it is. */
  stays(channel: Channel): boolean;
  lose(type: Loss['type'], name: string, reason: LossReason): void;
} & Pick<RestorePlan, 'losses' | 'warnings' | 'blockers' | 'notes'>;

export const createPlanContext = (input: PlanInput): PlanContext => {
  const { snapshot, current, components, mode = 'REPLACE', isUndo = false } = input;
  const restores = (component: BackupComponent) =>
    components.includes(component) && snapshot[component] !== undefined;
  const isRepair = mode === 'REPAIR';
  const deletesExtra = !isRepair || isUndo || input.deleteExtra === true;
  const savedRoles = snapshot.roles ?? [];
  const savedChannels = snapshot.channels ?? [];
  const matches = matchAll(input, { restores, isRepair, savedRoles, savedChannels });
  const { roleMatch, channelMatch, expressionMatch } = matches;
  const savedByCurrentId = new Map(
    [...roleMatch].map(([oldId, role]) => [role.id, savedRoles.find(({ id }) => id === oldId)]),
  );
  // Only permissions that the restore itself leaves to the bot count, from its first step to its last.
  const bot = botPermissionsIn(input.bot, current, (role) =>
    lastingPermissions(role, restores('roles') ? savedByCurrentId.get(role.id) : undefined),
  );
  const losses: Loss[] = [];
  // Things of one name that are lost for one reason are named once.
  const lose: PlanContext['lose'] = (type, name, reason) => {
    const loss = { type, name, ...reason };
    if (!losses.some((other) => isDeepStrictEqual(other, loss))) losses.push(loss);
  };
  const knownChannels = new Set([...channelMatch.values()].map(({ id }) => id));
  const isChannelKnown = (id: string) => knownChannels.has(id);
  const deletesChannels = deletesExtra && restores('channels');
  const stays = (channel: Channel) => {
    const isRestored = restores('channels') && isChannelKnown(channel.id);
    return !isRestored && !(deletesChannels && canManage(bot, channel, current.guildId));
  };
  const known = { snapshot, current, bot, ...matches, savedRoles, savedChannels, restores };
  const everyone = permissionsOfEveryone({ ...known, isRepair, stays });
  const savedById = new Map(savedRoles.map((role) => [role.id, role]));
  const emojis = new Map(snapshot.emojis?.map((emoji) => [emoji.id, emoji]));
  return {
    ...known,
    ...{ isRepair, deletesExtra, everyone, isChannelKnown, stays },
    ...{ liftsBans: !isRepair || isUndo, matchesOnlyIds: isUndo },
    idMap: mapKnownIds(known),
    createsRole: (id) =>
      restores('roles') && savedById.get(id)?.isManaged === false && !roleMatch.has(id),
    createsEmoji: (id) =>
      restores('emojis') && Boolean(emojis.get(id)?.image) && !expressionMatch.emojis.has(id),
    ...{ lose, losses, warnings: [], blockers: [], notes: [] },
  };
};

type Known = Pick<PlanContext, 'restores' | 'isRepair' | 'savedRoles' | 'savedChannels'>;

const matchAll = (input: PlanInput, { restores, isRepair, savedRoles, savedChannels }: Known) => {
  const { snapshot, current, earlierIds, unfinishedIds, isUndo } = input;
  const roleMatch = matchRoles({
    savedRoles,
    // What is not restored gives nobody anything.
    savedChannels: restores('channels') ? savedChannels : [],
    backupGuildId: snapshot.guildId,
    currentRoles: current.roles,
    guildId: current.guildId,
    earlierIds: earlierIds?.roles ?? {},
    mayMatchByName: restores('roles') && !isUndo,
  });
  const everyone = current.roles.find(({ id }) => id === current.guildId);
  const ownIds = Object.fromEntries(savedChannels.map(({ id }) => [id, id]));
  // Every channel is made anew, but for those that an unfinished restore of the same backup made.
  const isReplaced = !isRepair && restores('channels');
  const channelMatch = matchChannels({
    ...{ savedChannels, currentChannels: current.channels, roleMatch },
    knownIds: isReplaced ? [unfinishedIds?.channels ?? {}] : [ownIds, earlierIds?.channels ?? {}],
    mayMatchByName: isRepair && !isUndo,
    ...{ backupGuildId: snapshot.guildId, guildId: current.guildId },
    everyonePermissions: BigInt(everyone?.permissions ?? 0),
  });
  const expressionMatch = matchExpressions(snapshot, current, earlierIds);
  return { roleMatch, channelMatch, expressionMatch };
};

const lastingPermissions = (role: Role, saved: Role | undefined): bigint => {
  const now = BigInt(role.permissions);
  return saved && !role.isManaged ? now & BigInt(saved.permissions) : now;
};

type MatchContext = Pick<
  PlanContext,
  | 'snapshot'
  | 'current'
  | 'savedRoles'
  | 'savedChannels'
  | 'bot'
  | 'restores'
  | 'roleMatch'
  | 'channelMatch'
  | 'expressionMatch'
>;

const mapKnownIds = (context: MatchContext): IdMap => {
  const { snapshot, current, roleMatch, channelMatch, expressionMatch, restores } = context;
  const map = emptyIdMap();
  const savedIds = new Set(snapshot.roles?.map(({ id }) => id));
  // A step may name a role that only the target has; no role of the backup has its id.
  for (const { id } of current.roles) if (!savedIds.has(id)) map.roles[id] = id;
  for (const [oldId, role] of roleMatch) map.roles[oldId] = role.id;
  map.roles[snapshot.guildId] = current.guildId;
  for (const [oldId, channel] of channelMatch) map.channels[oldId] = channel.id;
  if (!restores('emojis')) for (const { id } of current.emojis) map.emojis[id] = id;
  for (const [oldId, emoji] of expressionMatch.emojis) map.emojis[oldId] = emoji.id;
  for (const [oldId, sticker] of expressionMatch.stickers) map.stickers[oldId] = sticker.id;
  return map;
};

type EveryoneContext = MatchContext & Pick<PlanContext, 'isRepair' | 'stays'>;

const permissionsOfEveryone = (context: EveryoneContext): PlanContext['everyone'] => {
  const { snapshot, current, savedRoles, bot } = context;
  const role = current.roles.find(({ id }) => id === current.guildId);
  const saved = savedRoles.find(({ id }) => id === snapshot.guildId);
  const now = BigInt(role?.permissions ?? 0);
  // A backup without roles does not say what @everyone could do; its present permissions are assumed.
  if (!saved) return { saved: now, now, final: now };
  const reachable = reachableRole(saved, role, current.settings.features, bot).permissions;
  const final = context.restores('roles') ? reachable : now;
  return {
    saved: BigInt(saved.permissions),
    now,
    final: withholdAdministrator(context, final, now),
  };
};

/**
 * Nothing can be hidden from an administrator. So @everyone becomes one only where no channel stays that
 * the backup does not know and that somebody may not see; all others are open to everyone in the backup.
 */
const withholdAdministrator = (
  { restores, isRepair, savedChannels, current, stays }: EveryoneContext,
  final: bigint,
  now: bigint,
): bigint => {
  const isHiddenFromSome = ({ overwrites }: Channel) =>
    !isVisibleToEveryone(now, overwrites, current.guildId) ||
    overwrites.some(({ deny }) => includes(BigInt(deny), permission.viewChannel));
  const canBe = isRepair
    ? !current.channels.some((channel) => stays(channel) && isHiddenFromSome(channel))
    : restores('channels') && savedChannels.some(({ kind }) => kind === 'text');
  return canBe ? final : without(final, without(permission.administrator, now));
};
