import type { BackupComponent } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { readErased } from '../../backups/erasure/erasures.ts';
import { redactSnapshot } from '../../backups/erasure/redact.ts';
import { type findBackup, savedAtOf } from '../../backups/queries.ts';
import { modeFor } from '../../backups/snapshot/large.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { RestorePreview } from '../plan/describe-plan.ts';
import { guildOfSnapshot } from '../plan/guild-of-snapshot.ts';
import { previewRestoreTask } from '../plan/plan-restore-task.ts';
import { restorable } from '../rules.ts';
import { emptySettings } from '../verify/test-restore.ts';
import type { PreviewDependencies } from './preview.ts';
import { readSourceSnapshot } from './restore-run.ts';

type Backup = NonNullable<Awaited<ReturnType<typeof findBackup>>>;

export type CompareBackups = (
  db: Database,
  backup: Backup,
  other: Backup,
) => Promise<RestorePreview | { failure: string }>;

/** People of larger backups are not compared: an HTTP request waits. */
const mostPeople = 1000;

/** What a repair would do to the other backup, if that were the guild and nothing were kept besides. */
export const createComparison =
  (dependencies: PreviewDependencies): CompareBackups =>
  async (db, backup, other) => {
    const { components, notes } = comparable(backup, other);
    const read = async (source: Backup) => readRedacted(dependencies, db, source, components);
    try {
      const [snapshot, otherSnapshot] = [await read(backup), await read(other)];
      const guild = guildOfSnapshot(otherSnapshot, snapshot.settings?.[0] ?? emptySettings);
      const { current, ...bot } = guild;
      const preview = await dependencies.aside.run(
        previewRestoreTask,
        { snapshot, current },
        { ...bot, components, mode: 'REPAIR', deleteExtra: true, isComparison: true },
        { accountId: backup.accountId, mode: modeFor(snapshot, current), waits: 'request' },
      );
      return { ...preview, notes };
    } catch (error) {
      if (isDatabaseFailure(error) || error instanceof HttpError) throw error;
      return { failure: failureMessage(error) };
    }
  };

type Compared = { components: BackupComponent[]; notes: string[] };

const comparable = (backup: Backup, other: Backup): Compared => {
  const own = restorable(backup.components);
  const absent = own.filter((component) => !other.components.includes(component));
  const tooLarge = own.filter((component) =>
    [backup, other].some(({ counts }) => peopleIn(counts, component) > mostPeople),
  );
  return {
    components: own.filter((name) => !absent.includes(name) && !tooLarge.includes(name)),
    notes: [
      ...notCompared(absent, 'which the other backup does not hold'),
      ...notCompared(tooLarge, 'of which there are too many'),
    ],
  };
};

const notCompared = (components: BackupComponent[], reason: string): string[] => {
  if (components.length === 0) return [];
  const names = components.map((name) => name.replace(/[A-Z]/g, (at) => ` ${at.toLowerCase()}`));
  return [`Not compared: ${names.join(', ')}, ${reason}.`];
};

const peopleIn = ({ members, bans }: Backup['counts'], component: BackupComponent): number =>
  component === 'memberRoles' ? members : component === 'bans' ? bans : 0;

const readRedacted = async (
  dependencies: PreviewDependencies,
  db: Database,
  backup: Backup,
  components: readonly BackupComponent[],
): Promise<Snapshot> => {
  const { accountId, checksum, kind } = backup;
  const sections = [...new Set<BackupComponent>(['settings', ...components])];
  const source = { accountId, checksum: checksum ?? '', kind, savedAt: savedAtOf(backup) };
  const read = await readSourceSnapshot(dependencies, { ...source, components: sections });
  // People who were erased while it was read are not in it either.
  return redactSnapshot(read, await readErased(db, dependencies.ring, source));
};
