import type { BackupComponent, BackupCounts, RestoreMode } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { readBotMember } from '../../../platform/permissions.ts';
import type { BackupDependencies } from '../../backups/capture/execute-backup.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { redactSnapshot } from '../../backups/erasure/redact.ts';
import { findBackupOfServer, savedAtOf } from '../../backups/queries.ts';
import { modeFor } from '../../backups/snapshot/large.ts';
import { useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import type { RestorePreview } from '../plan/describe-plan.ts';
import { previewRestoreTask } from '../plan/plan-restore-task.ts';
import { holdersFor, withholdingOf } from '../plan/withholding.ts';
import { restorable } from '../rules.ts';
import { previewUndoTask } from '../undo/plan-undo-task.ts';
import { countGone, readUndo } from '../undo/read-undo.ts';
import type { UndoScope } from '../undo/scope.ts';
import { undoComponents } from '../undo/wanted-guild.ts';
import { readEarlierIds } from './earlier-ids.ts';
import { readGuild } from './read-guild.ts';
import { readOpenRoles } from './read-open-roles.ts';
import { withPictureHashes } from './read-pictures.ts';
import { type CompleteScope, readSourceSnapshot } from './restore-run.ts';

type PreviewRequest = {
  accountId: string;
  serverId: string;
  backupId: string;
  targetId: string;
  components?: readonly BackupComponent[];
  mode: RestoreMode;
  deleteExtra: boolean;
  /** Whether a person with a second factor asks. */
  mayGivePower?: boolean;
  /** To undo only this, instead of everything; `complete` is asked for the rest of it. */
  undo?: { scope: UndoScope; complete: CompleteScope; incidentId: string };
  /** Nothing is to be done: only what differs is asked for. */
  isComparison?: boolean;
};

/** Undefined where the backup or the target does not exist: the caller finds out which. */
export type PreviewRestore = (
  db: Database,
  request: PreviewRequest,
) => Promise<RestorePreview | { failure: string } | undefined>;

export type PreviewDependencies = Pick<
  BackupDependencies,
  'db' | 'ring' | 'platform' | 'blobs' | 'aside' | 'queue'
>;

/** An HTTP request waits for the preview. */
const timeoutMs = 3500;

/** Less than that, so that a slow audit log leaves time for the rest. */
const historyTimeoutMs = 1500;

/** As many members as one call reads; of more, the preview only says how many there are. */
const maxMembers = 1000;

export const createPreview =
  (dependencies: PreviewDependencies): PreviewRestore =>
  async (
    db,
    {
      accountId,
      serverId,
      backupId,
      targetId,
      components: requested,
      isComparison,
      undo,
      ...asked
    },
  ) => {
    const { mayGivePower = false, ...how } = asked;
    const backup = await findBackupOfServer(db, { id: serverId, accountId }, backupId);
    const target = await findGuildOfServer(db, { accountId, serverId: targetId });
    if (!target || !backup?.checksum) return undefined;
    const { botId, guildId } = target;
    const all = undo ? undoComponents(undo.scope) : (requested ?? restorable(backup.components));
    const isLarge = backup.counts.members > maxMembers;
    const hasTooManyMembers = isLarge && all.includes('memberRoles');
    const components = hasTooManyMembers ? all.filter((name) => name !== 'memberRoles') : all;
    const { checksum, kind } = backup;
    const asItIs = isComparison || undo !== undefined;
    const withholding = asItIs ? undefined : withholdingOf(backup, mayGivePower);
    const knowsHolders = !isLarge && backup.components.includes('memberRoles');
    const holders = knowsHolders ? holdersFor(withholding, components) : [];
    const read = [...components, ...holders];
    const source = { accountId, checksum, kind, savedAt: savedAtOf(backup), components: read };
    const options = { signal: AbortSignal.timeout(timeoutMs) };
    try {
      return await useBot(dependencies, { botId, accountId }, async (bot) => {
        const platform = bot.guild(guildId, options);
        const [unredacted, current, botMember, openRoles] = await Promise.all([
          readSourceSnapshot(dependencies, source),
          readGuild(guildId, platform, read),
          readBotMember(bot, guildId, options),
          holders.length > 0 ? readOpenRoles(db, platform, { accountId, guildId }) : [],
        ]);
        // People who were erased while the platform answered are not in it either.
        const isErased = await readErased(db, dependencies.ring, source);
        const snapshot = await redactSnapshot(unredacted, isErased);
        if (undo) {
          const scope = await undo.complete(
            db,
            { accountId, serverId, incidentId: undo.incidentId, backupId },
            {
              guild: bot.guild(guildId, { signal: AbortSignal.timeout(historyTimeoutMs) }),
              botUserId: botMember.userId,
              backup: snapshot,
              readCurrent: async () => current,
              isQuick: true,
            },
          );
          const input = { scope, backup: snapshot, current };
          const things = await readUndo(db, accountId, input, isErased);
          const gone = await countGone(db, { accountId, serverId: targetId }, things);
          return dependencies.aside.run(
            previewUndoTask,
            things,
            { bot: botMember, components, gone },
            { accountId, mode: modeFor(snapshot, current), waits: 'request' },
          );
        }
        const ids = await readEarlierIds(
          db,
          { accountId, serverId: targetId, backupId, guildId },
          snapshot,
          current,
        );
        const compared = { snapshot, current, components, ...ids };
        const guild = await withPictureHashes(dependencies, compared, options.signal);
        const { savedAt } = source;
        const isTemplate = kind === 'MARKETPLACE' && !isComparison;
        // Who has its roles is looked at when it is restored: here there may be too many.
        const isUnknown = !knowsHolders && snapshot.guildId === guildId;
        const withheld = isUnknown && withholding === 'toOthers' ? undefined : withholding;
        const about = { isTemplate, withholding: withheld, openRoles };
        const preview = await dependencies.aside.run(
          previewRestoreTask,
          { snapshot, current: guild },
          { components, ...ids, savedAt, bot: botMember, ...how, isComparison, ...about },
          { accountId, mode: modeFor(snapshot, guild), waits: 'request' },
        );
        if (isComparison) return preview;
        if (hasTooManyMembers) preview.warnings.push(membersWarning(backup.counts.members));
        if (postsMessages(components)) preview.notes.push(postsNote(backup.counts));
        return preview;
      });
    } catch (error) {
      if (isDatabaseFailure(error) || error instanceof HttpError) throw error;
      return { failure: failureMessage(error) };
    }
  };

const membersWarning = (members: number): string =>
  `Not counted here: up to ${members} calls for the roles and nicknames of members`;

const postsMessages = (components: readonly BackupComponent[]): boolean =>
  components.includes('messages') || components.includes('threads');

const postsNote = ({ messages, threads }: BackupCounts): string =>
  `Not counted here: up to ${messages} messages and ${threads} threads are posted into new channels afterwards, about 30 messages a minute in each`;
