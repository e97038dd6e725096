import type { BackupComponent } from '@holdfast/contract';
import type { Channel, Role } from '../../platform/guild.ts';
import { permission, without } from '../../platform/permissions.ts';
import { type BotPowers, type BotSelf, powersOf } from '../../platform/powers.ts';
import type { Snapshot } from '../backups/snapshot.ts';
import { matchRoles, type RoleMatch } from './match-roles.ts';
import { reachableRole } from './role-look.ts';
import type { Draft, Loss, PresentGuild } from './step.ts';

export type RestoreWish = {
  desired: Snapshot;
  present: PresentGuild;
  components: readonly BackupComponent[];
  bot: BotSelf;
};

/** What all parts of the plan look at. */
export type Scene = {
  desired: Snapshot;
  present: PresentGuild;
  powers: BotPowers;
  roleMatch: RoleMatch;
  /** The backup's roles and channels, restored or not: what the rest of it refers to. */
  wantedRoles: Role[];
  wantedChannels: Channel[];
  /** What @everyone may do in the backup, now, and in the end. */
  everyone: { wanted: bigint; now: bigint; final: bigint };
  restores(component: BackupComponent): boolean;
};

/** What one part of the plan adds to it. */
export type Part = { steps: Draft[]; losses: Loss[]; warnings?: string[]; blockers?: string[] };

export const joinParts = (parts: Part[]): Required<Part> => ({
  steps: parts.flatMap(({ steps }) => steps),
  losses: parts.flatMap(({ losses }) => losses),
  warnings: parts.flatMap(({ warnings = [] }) => warnings),
  blockers: parts.flatMap(({ blockers = [] }) => blockers),
});

export const surveyScene = ({ desired, present, components, bot }: RestoreWish): Scene => {
  const restores = (component: BackupComponent) =>
    components.includes(component) && desired[component] !== undefined;
  const wantedRoles = desired.roles ?? [];
  const wantedChannels = desired.channels ?? [];
  const roleMatch = matchRoles({
    wanted: wantedRoles,
    wantedChannels,
    backupGuildId: desired.guildId,
    present: present.roles,
    guildId: present.guildId,
    mayMatchByName: restores('roles'),
  });
  const wantedByPresentId = new Map(
    [...roleMatch].map(([oldId, role]) => [role.id, wantedRoles.find(({ id }) => id === oldId)]),
  );
  // Only what the restore itself leaves to the bot counts, from its first step to its last.
  const powers = powersOf(bot, present, (role) =>
    lastingPermissions(role, restores('roles') ? wantedByPresentId.get(role.id) : undefined),
  );
  const scene = { desired, present, powers, roleMatch, wantedRoles, wantedChannels, restores };
  return { ...scene, everyone: permissionsOfEveryone(scene) };
};

const lastingPermissions = (role: Role, wanted: Role | undefined): bigint => {
  const now = BigInt(role.permissions);
  return wanted && !role.isManaged ? now & BigInt(wanted.permissions) : now;
};

const permissionsOfEveryone = (scene: Omit<Scene, 'everyone'>): Scene['everyone'] => {
  const { desired, present, wantedRoles, powers } = scene;
  const current = present.roles.find(({ id }) => id === present.guildId);
  const wanted = wantedRoles.find(({ id }) => id === desired.guildId);
  const now = BigInt(current?.permissions ?? 0);
  // A backup without roles does not tell what @everyone could do: its channels are taken as they look here.
  if (!wanted) return { wanted: now, now, final: now };
  const reachable = reachableRole(wanted, current, present.settings.features, powers).permissions;
  const final = scene.restores('roles') ? reachable : now;
  return { wanted: BigInt(wanted.permissions), now, final: holdBack(scene, final, now) };
};

/**
 * Nothing can be hidden from an administrator. @everyone becomes one only where all channels that were
 * there before go, which takes new ones to replace them.
 */
const holdBack = (
  { restores, wantedChannels }: Pick<Scene, 'restores' | 'wantedChannels'>,
  final: bigint,
  now: bigint,
): bigint => {
  const canAllGo = restores('channels') && wantedChannels.some(({ kind }) => kind === 'text');
  return canAllGo ? final : without(final, without(permission.administrator, now));
};
