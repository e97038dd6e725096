import type { HealthReasonCode } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { GuildStructure } from '../../backups/last-good/structure.ts';
import { findLastGood } from '../../backups/queries.ts';
import { hasActiveRestore } from '../../restores/queries/restores.ts';
import { lockHealth, storeHealth } from '../../servers/health/queries.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { findLiveGuild } from '../queries.ts';
import {
  type Assessment,
  healthOf,
  type LiveGuild,
  type Pointers,
  type Reference,
  settleHealth,
} from '../rules.ts';

type Owned = { accountId: string; serverId: string };
export type HealthDependencies = Parameters<typeof raiseAlert>[1];

/**
 * Judges a server anew, in the transaction that changed what its health depends on: its guild, its
 * backups, its settings, or a restore. The owner is told of damage and loss once, when it begins.
 */
export const assessHealth = async (
  dependencies: HealthDependencies,
  tx: Transaction,
  owner: Owned,
): Promise<void> => {
  const { accountId, serverId } = owner;
  const server = await lockHealth(tx, owner);
  if (!server) return;
  const lastGood = await findLastGood(tx, { id: serverId, accountId });
  const row = await findLiveGuild(tx, { ...owner, guildId: server.guildId });
  const now = await judge(tx, accountId, {
    live: row && liveOf(row),
    structure: lastGood?.structure ?? undefined,
    pointers: server,
  });
  const { health, healthReasons } = settleHealth(
    server,
    now,
    now.health !== server.health && (await hasActiveRestore(tx, owner)),
  );
  const assessed = { health, healthReasons, lastGoodBackupId: lastGood?.id ?? null };
  if (isSame(server, assessed)) return;
  await storeHealth(tx, owner, assessed);
  if (health !== server.health) await tellOwner(dependencies, tx, owner, assessed);
};

const tellOwner = async (
  dependencies: HealthDependencies,
  tx: Transaction,
  owner: Owned,
  { health, healthReasons }: Assessment,
): Promise<void> => {
  const missing = (code: HealthReasonCode) =>
    healthReasons.find((reason) => reason.code === code)?.missing ?? 0;
  if (health === 'DAMAGED') {
    const facts = { channels: missing('CHANNELS_MISSING'), roles: missing('ROLES_MISSING') };
    await raiseAlert(tx, dependencies, { ...owner, kind: 'SERVER_DAMAGED', facts });
  }
  if (health === 'LOST') {
    // The platform says the same of a guild that is deleted.
    const facts = { reason: 'BOT_REMOVED' as const };
    await raiseAlert(tx, dependencies, { ...owner, kind: 'SERVER_LOST', facts });
  }
};

type Judged = {
  live: LiveGuild | undefined;
  structure: GuildStructure | undefined;
  pointers: Pointers;
};

/** Compares a guild with a backup, by ids and by those that restores gave. */
export const judge = async (
  tx: Transaction,
  accountId: string,
  { live, structure, pointers }: Judged,
): Promise<Assessment> => {
  const reference = structure && live && (await resolve(tx, accountId, structure, live));
  return healthOf(live, reference ?? (structure && unresolved(structure)), pointers);
};

const resolve = async (
  tx: Transaction,
  accountId: string,
  structure: GuildStructure,
  { channelIds = new Set(), roleIds = new Set() }: LiveGuild,
): Promise<Reference> => ({
  structure,
  liveIds: {
    channels: await resolveRestoredIds(tx, accountId, 'channels', {
      ids: structure.channelIds,
      liveIds: channelIds,
    }),
    roles: await resolveRestoredIds(tx, accountId, 'roles', {
      ids: structure.roleIds,
      liveIds: roleIds,
    }),
  },
});

/** Of a guild that was not seen nothing is compared. */
const unresolved = (structure: GuildStructure): Reference => ({
  structure,
  liveIds: { channels: {}, roles: {} },
});

export const liveOf = (row: {
  isInGuild: boolean;
  channelIds: string[];
  roleIds: string[];
  managedRoleIds: string[];
}): LiveGuild => ({
  isInGuild: row.isInGuild,
  channelIds: new Set(row.channelIds),
  roleIds: new Set([...row.roleIds, ...row.managedRoleIds]),
});

type Stored = Assessment & { lastGoodBackupId: string | null };

const isSame = (one: Stored, other: Stored): boolean =>
  one.health === other.health &&
  one.lastGoodBackupId === other.lastGoodBackupId &&
  Bun.deepEquals(one.healthReasons, other.healthReasons);
