import type { Aside } from '../../../kernel/aside.ts';
import type { AuditLogEntry } from '../../../platform/gateway/events.ts';
import type { BotMember } from '../../../platform/permissions.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import { modeFor } from '../../backups/snapshot/large.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { GuildState } from '../../restores/plan/step.ts';
import { readGuild } from '../../restores/run/read-guild.ts';
import { runPlan } from '../../restores/run/run-plan.ts';
import type { Act } from '../../restores/undo/atoms.ts';
import { planUndoTask } from '../../restores/undo/plan-undo-task.ts';
import { scopeOf } from '../../restores/undo/scope.ts';
import { undoComponents } from '../../restores/undo/wanted-guild.ts';
import { checkResultTask } from '../../restores/verify/check-result-task.ts';

type Repair = {
  aside: Pick<Aside, 'run'>;
  accountId: string;
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
  const { aside, accountId, guildId, guild, bot, backup, before, attackerId, entries } = repair;
  const acts = entries.map((entry) => actOf(entry, attackerId));
  const scope = await scopeOf(acts, [attackerId]);
  const components = undoComponents(scope);
  const current = await readGuild(guildId, guild, [...comparedParts, ...components]);
  const by = { accountId, mode: modeFor(backup, current), waits: 'job' } as const;
  const gone = { count: 0, reachable: 0 };
  const plan = await aside.run(
    planUndoTask,
    { scope, backup, current },
    { bot, components, gone },
    by,
  );
  const idMap = await runPlan(guild, plan);
  const found = await readGuild(guildId, guild, comparedParts);
  const { roles, channels } = before;
  const { differences } = await aside.run(
    checkResultTask,
    { snapshot: { guildId, roles, channels }, found },
    { idMap, components: comparedParts },
    by,
  );
  return differences.length;
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
