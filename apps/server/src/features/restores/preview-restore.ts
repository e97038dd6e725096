import type { BackupComponent } from '@holdfast/contract';
import type { Database } from '../../db/connect.ts';
import { isDatabaseFailure } from '../../db/failures.ts';
import { readSelf } from '../../platform/powers.ts';
import { failureSentence } from '../backups/failure-sentence.ts';
import { readErased } from '../backups/people/erasures.ts';
import { redactSnapshot } from '../backups/people/redact.ts';
import { findBackupOfServer, savedAtOf } from '../backups/queries.ts';
import type { BackupTools } from '../backups/take-backup.ts';
import { useBot } from '../bots/use-bot.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { planRestore } from './plan.ts';
import { previewPlan, type RestorePreview } from './preview.ts';
import { readPresent } from './read-present.ts';
import { readDesired } from './restore-work.ts';
import { restorable } from './rules.ts';

type Wish = {
  accountId: string;
  serverId: string;
  backupId: string;
  targetId: string;
  components?: readonly BackupComponent[];
};

/** Undefined where there is nothing to look at: the caller finds out why. */
export type PreviewRestore = (
  db: Database,
  wish: Wish,
) => Promise<RestorePreview | { failure: string } | undefined>;

type Tools = Pick<BackupTools, 'db' | 'ring' | 'platform' | 'blobs'>;

/** Somebody waits for the answer. */
const patienceMs = 3500;

/** So many people fit into one call; of more, the preview only says how many there are. */
const membersLookedAt = 1000;

export const createPreview =
  (tools: Tools): PreviewRestore =>
  async (db, wish) => {
    const { accountId } = wish;
    const backup = await findBackupOfServer(db, { id: wish.serverId, accountId }, wish.backupId);
    const target = await findGuildOfServer(db, { accountId, serverId: wish.targetId });
    if (!target || !backup?.checksum) return undefined;
    const { botId, guildId } = target;
    const wished = restorable(wish.components ?? backup.components);
    const isCrowd = backup.counts.members > membersLookedAt && wished.includes('memberRoles');
    const components = isCrowd ? wished.filter((name) => name !== 'memberRoles') : wished;
    const options = { signal: AbortSignal.timeout(patienceMs) };
    try {
      const { checksum, kind } = backup;
      const source = { accountId, checksum, kind, savedAt: savedAtOf(backup), components };
      return await useBot(tools, { botId, accountId }, async (bot) => {
        const [read, present, self] = await Promise.all([
          readDesired(tools, source),
          readPresent(guildId, bot.guild(guildId, options), components),
          readSelf(bot, guildId, options),
        ]);
        // Whoever erased themselves while the platform was asked is not in it either.
        const desired = redactSnapshot(read, await readErased(db, tools.ring, source));
        const plan = planRestore({ desired, present, components, bot: self });
        return withCrowd(previewPlan(plan), isCrowd ? backup.counts.members : 0);
      });
    } catch (error) {
      if (isDatabaseFailure(error)) throw error;
      return { failure: failureSentence(error) };
    }
  };

const withCrowd = (preview: RestorePreview, members: number): RestorePreview =>
  members === 0
    ? preview
    : {
        ...preview,
        warnings: [
          ...preview.warnings,
          `Not counted here: up to ${members} calls for the roles and nicknames of members`,
        ],
      };
