import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import type { BotMember } from '../../../platform/permissions.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { GuildState } from '../../restores/plan/step.ts';
import { readGuild } from '../../restores/run/read-guild.ts';
import { runPlan } from '../../restores/run/run-plan.ts';
import type { Act } from '../../restores/undo/atoms.ts';
import { planSteps } from '../../restores/undo/plan-undo.ts';
import { scopeOf } from '../../restores/undo/scope.ts';
import { undoComponents } from '../../restores/undo/wanted-guild.ts';
import { findDifferences } from '../../restores/verify/differences.ts';

type Repair = {
  guildId: string;
  guild: GuildPlatform;
  bot: BotMember;
  backup: Snapshot;
  before: GuildState;
  attackerId: string;
  /** What the audit log of the copy has. */
  entries: readonly AuditLogEntry[];
};

/** What an attacker of channels and roles can have changed. */
export const comparedParts = ['roles', 'channels'] as const;

/**
 * Undoes what the attacker did, by the audit log and the backup, as the incident's repair would on the
 * server; returns how many things still differ.
 */
export const repairCopy = async (repair: Repair): Promise<number> => {
  const { guildId, guild, bot, backup, before, attackerId, entries } = repair;
  const acts = entries.map((entry) => actOf(entry, attackerId));
  const scope = scopeOf(acts, [attackerId]);
  const components = undoComponents(scope);
  const current = await readGuild(guildId, guild, [...comparedParts, ...components]);
  const plan = planSteps({ scope, backup, current }, { bot, components });
  const idMap = await runPlan(guild, plan);
  const after = await readGuild(guildId, guild, comparedParts);
  const { roles, channels } = before;
  return findDifferences({ guildId, roles, channels }, after, idMap, comparedParts).length;
};

const actOf = (
  { executorId, action, targetId, changes, options }: AuditLogEntry,
  attackerId: string,
): Act => {
  const { subjectId, subjectKind = 'role' } = options;
  return {
    ...{ isAttack: executorId === attackerId, action, targetId, changes },
    ...(subjectId !== undefined && { subject: { id: subjectId, kind: subjectKind } }),
  };
};
