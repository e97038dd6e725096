import type { HealthReasonCode } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { GuildStructure } from '../../backups/last-good/structure.ts';
import { findLastGood } from '../../backups/queries.ts';
import { listPanelChannels } from '../../panels/queries/guild.ts';
import { hasActiveRestore } from '../../restores/queries/restores.ts';
import { lockHealth, storeHealth } from '../../servers/health/queries.ts';
import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import { findLiveGuild } from '../queries.ts';
import {
  type Assessment,
  codeOfAbsence,
  healthOf,
  type LiveGuild,
  type Pointers,
  type Reference,
  settleHealth,
} from '../rules.ts';
import type { Absence } from '../table.ts';
import { findAbsence } from './find-absence-job.ts';

type Owned = { accountId: string; serverId: string };
type InGuild = Owned & { botId: string; guildId: string };

export type HealthDependencies = Parameters<typeof raiseAlert>[1] & {
  /** Hears of what was there when a guild was last seen and is gone when a new session shows it. */
  noteMissed?(tx: Transaction, inGuild: InGuild, gone: GuildStructure): Promise<void>;
};

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
  const now = await judge(tx, owner, {
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
  const isNew = health !== server.health;
  if (health === 'LOST') {
    const lost = { ...owner, guildId: server.guildId };
    await settleLoss(dependencies, tx, { ...lost, isNew, absence: row?.absence ?? null });
  } else if (isNew) await tellOfDamage(dependencies, tx, owner, assessed);
};

type Loss = Owned & { guildId: string; isNew: boolean; absence: Absence | null };

/**
 * The platform reports a bot that was removed and a guild that was deleted alike. Which of the two it is
 * has to be asked outside of the transaction, so the owner is told by the job that does.
 */
const settleLoss = async (
  { queue }: HealthDependencies,
  tx: Transaction,
  { absence, ...lost }: Loss,
): Promise<void> => {
  if (absence === null) return queue.enqueue(tx, findAbsence, lost);
  if (lost.isNew) await tellOfLoss({ queue }, tx, lost, absence);
};

export const tellOfLoss = (
  dependencies: HealthDependencies,
  tx: Transaction,
  { accountId, serverId }: Owned,
  absence: Absence,
): Promise<void> => {
  const facts = { reason: codeOfAbsence(absence) };
  return raiseAlert(tx, dependencies, { accountId, serverId, kind: 'SERVER_LOST', facts });
};

const tellOfDamage = async (
  dependencies: HealthDependencies,
  tx: Transaction,
  owner: Owned,
  { health, healthReasons }: Assessment,
): Promise<void> => {
  if (health !== 'DAMAGED') return;
  const missing = (code: HealthReasonCode) =>
    healthReasons.find((reason) => reason.code === code)?.missing ?? 0;
  const facts = { channels: missing('CHANNELS_MISSING'), roles: missing('ROLES_MISSING') };
  await raiseAlert(tx, dependencies, { ...owner, kind: 'SERVER_DAMAGED', facts });
};

type Judged = {
  live: LiveGuild | undefined;
  structure: GuildStructure | undefined;
  pointers: Pointers;
};

/** Compares a guild with a backup, by ids and by those that restores gave. */
export const judge = async (
  tx: Transaction,
  owner: Owned,
  { live, structure, pointers }: Judged,
): Promise<Assessment> => {
  const reference = structure && live && (await resolve(tx, owner.accountId, structure, live));
  const panelChannelsGone = await countGonePanelChannels(tx, owner, live);
  return healthOf(live, reference ?? (structure && unresolved(structure)), {
    ...pointers,
    panelChannelsGone,
  });
};

const countGonePanelChannels = async (
  tx: Transaction,
  owner: Owned,
  live: LiveGuild | undefined,
): Promise<number> => {
  const ids = live?.channelIds ? await listPanelChannels(tx, owner) : [];
  const liveIds = live?.channelIds ?? new Set<string>();
  const gone = ids.filter((id) => !liveIds.has(id));
  if (gone.length === 0) return 0;
  const found = await resolveRestoredIds(tx, owner.accountId, 'channels', { ids: gone, liveIds });
  return gone.filter((id) => found[id] === undefined).length;
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
  absence: Absence | null;
  channelIds: string[];
  roleIds: string[];
  managedRoleIds: string[];
}): LiveGuild => ({
  isInGuild: row.isInGuild,
  absence: row.absence,
  channelIds: new Set(row.channelIds),
  roleIds: new Set([...row.roleIds, ...row.managedRoleIds]),
});

type Stored = Assessment & { lastGoodBackupId: string | null };

const isSame = (one: Stored, other: Stored): boolean =>
  one.health === other.health &&
  one.lastGoodBackupId === other.lastGoodBackupId &&
  Bun.deepEquals(one.healthReasons, other.healthReasons);
