import type { BackupComponent, RestoreMode } from '@holdfast/contract';
import type { Channel, Role } from '../../../platform/guild.ts';
import {
  type BotMember,
  type BotPermissions,
  botPermissionsIn,
  permission,
  without,
} from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from './id-map.ts';
import type { Loss, LossReason } from './loss.ts';
import { matchRoles, type RoleMatch } from './match-roles.ts';
import { reachableRole } from './role-appearance.ts';
import type { GuildState, RestorePlan } from './step.ts';

export type PlanInput = {
  /** The content of the backup. */
  snapshot: Snapshot;
  /** The target as it is. */
  current: GuildState;
  components: readonly BackupComponent[];
  bot: BotMember;
  /** REPLACE where it is not given. */
  mode?: RestoreMode;
  /** For REPAIR: delete what the backup does not know. */
  deleteExtra?: boolean;
  /** Where things of the backup live in the target by now, by their own id or by earlier restores. */
  earlierIds?: IdMap;
  /** What unfinished restores of this backup created in the target since one was completed. */
  unfinishedIds?: IdMap;
};

/** What every part of the planner reads, and where it reports what is not a step. */
export type PlanContext = {
  snapshot: Snapshot;
  current: GuildState;
  /** What the bot can do in the target. */
  bot: BotPermissions;
  roleMatch: RoleMatch;
  /** The backup's roles and channels, restored or not: other sections refer to them. */
  savedRoles: Role[];
  savedChannels: Channel[];
  /** The permissions of @everyone in the backup, now, and after the restore. */
  everyone: { saved: bigint; now: bigint; final: bigint };
  restores(component: BackupComponent): boolean;
  lose(type: Loss['type'], name: string, reason: LossReason): void;
} & Pick<RestorePlan, 'losses' | 'warnings' | 'blockers' | 'notes'>;

export const createPlanContext = (input: PlanInput): PlanContext => {
  const { snapshot, current, components } = input;
  const restores = (component: BackupComponent) =>
    components.includes(component) && snapshot[component] !== undefined;
  const savedRoles = snapshot.roles ?? [];
  const savedChannels = snapshot.channels ?? [];
  const roleMatch = matchRoles({
    savedRoles,
    savedChannels,
    backupGuildId: snapshot.guildId,
    currentRoles: current.roles,
    guildId: current.guildId,
    mayMatchByName: restores('roles'),
  });
  const savedByCurrentId = new Map(
    [...roleMatch].map(([oldId, role]) => [role.id, savedRoles.find(({ id }) => id === oldId)]),
  );
  // Only permissions that the restore itself leaves to the bot count, from its first step to its last.
  const bot = botPermissionsIn(input.bot, current, (role) =>
    lastingPermissions(role, restores('roles') ? savedByCurrentId.get(role.id) : undefined),
  );
  const losses: Loss[] = [];
  const lose: PlanContext['lose'] = (type, name, reason) => losses.push({ type, name, ...reason });
  const context = { snapshot, current, bot, roleMatch, savedRoles, savedChannels, restores };
  const everyone = permissionsOfEveryone(context);
  return { ...context, everyone, lose, losses, warnings: [], blockers: [], notes: [] };
};

const lastingPermissions = (role: Role, saved: Role | undefined): bigint => {
  const now = BigInt(role.permissions);
  return saved && !role.isManaged ? now & BigInt(saved.permissions) : now;
};

type RoleContext = Pick<
  PlanContext,
  'snapshot' | 'current' | 'savedRoles' | 'savedChannels' | 'bot' | 'restores'
>;

const permissionsOfEveryone = (context: RoleContext): PlanContext['everyone'] => {
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
 * Nothing can be hidden from an administrator. So @everyone becomes one only where all channels that
 * were there before are deleted, which takes new ones to replace them.
 */
const withholdAdministrator = (
  { restores, savedChannels }: RoleContext,
  final: bigint,
  now: bigint,
): bigint => {
  const canDeleteAll = restores('channels') && savedChannels.some(({ kind }) => kind === 'text');
  return canDeleteAll ? final : without(final, without(permission.administrator, now));
};
