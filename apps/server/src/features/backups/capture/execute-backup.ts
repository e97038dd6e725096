import type { BackupComponent, Health } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Aside } from '../../../kernel/aside.ts';
import { once } from '../../../kernel/concurrency.ts';
import type { Log } from '../../../kernel/log.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import type { Queue } from '../../../queue/queue.ts';
import { accountHashKey } from '../../accounts/hash-key/hash-key.ts';
import { type BotDependencies, readIntentsOf, useBot } from '../../bots/use/use-bot.ts';
import type { SeenIds } from '../../servers/guild/guild-summary.ts';
import type { Observation } from '../../servers/jobs.ts';
import { storeSeenPointers } from '../../servers/pointers/move-pointers.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { hashPerson, readErased } from '../erasure/erasures.ts';
import { redactAccount } from '../erasure/jobs.ts';
import { listErased } from '../erasure/queries.ts';
import { noneErased, redactEntries } from '../erasure/redact.ts';
import { type GuildStructure, structureOf } from '../last-good/structure.ts';
import { measureBackup } from '../objects/queries.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { createObjectSaver } from '../objects/save-objects.ts';
import {
  type BackupOwner,
  endBackup,
  findBackup,
  findBaseline,
  savedAtOf,
  storeProgress,
} from '../queries.ts';
import { countsOf, showsMassDeletion } from '../rules.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import { createSnapshotWriter, type WrittenSnapshot } from '../snapshot/write-snapshot.ts';
import { begin, fail, recordEnd } from './begin-and-end.ts';
import { captureGuild } from './capture-guild.ts';
import { failureMessage } from './failure-message.ts';
import { defaultFileLimits, type FileLimits } from './file-limits.ts';

export type BackupDependencies = BotDependencies & {
  blobs: SealedBlobs;
  aside: Pick<Aside, 'run'>;
  queue: Pick<Queue, 'enqueue'>;
  log: Log;
  storageLimitOf(db: Database, accountId: string): Promise<number>;
  fileLimits?: FileLimits;
  /** Messages that the service posts again by itself. */
  listPanelMessages(
    db: Database,
    server: { accountId: string; serverId: string },
  ): Promise<ReadonlySet<string>>;
  /** Runs in the transaction that completes a backup, before that: how the server stood. */
  judgeCapture(tx: Transaction, capture: Capture): Promise<Health>;
  /** Judges the health of a server anew, after a backup or a restore of it. */
  assessHealth(tx: Transaction, server: { accountId: string; serverId: string }): Promise<void>;
  /** Runs in the transaction that completes a backup. */
  onCompleted(
    tx: Transaction,
    backup: BackupOwner & { serverId: string; kind: StoredBackup['kind'] },
  ): Promise<void>;
};

export type Capture = Observation & {
  seen: SeenIds;
  /** Set where the owner asked for the backup to accept the present state: what was known of it. */
  accepted: { structure: GuildStructure | null } | undefined;
};

type StoredBackup = NonNullable<Awaited<ReturnType<typeof findBackup>>>;

/** Runs a backup that is queued, or that a worker left unfinished, until it is completed or failed. */
export const executeBackup = async (
  dependencies: BackupDependencies,
  owner: BackupOwner,
  run: LeasedRun,
): Promise<void> => {
  const backup = await begin(dependencies.db, owner, run);
  if (!backup) return;
  try {
    const captured = await captureSnapshot(dependencies, backup, run);
    await complete(dependencies, backup, captured, run);
  } catch (error) {
    run.signal.throwIfAborted();
    // It was deleted while it ran: no object could refer to it, and its end concerns no one.
    if (!(await findBackup(dependencies.db, owner))) return;
    if (isDatabaseFailure(error)) throw error;
    dependencies.log.warn({ err: error, ...owner }, 'a backup failed');
    await fail(dependencies, backup, failureMessage(error), run);
  }
};

/** Safety backups are outside the quota: a full storage must not prevent a restore. */
const unlimitedBytes = Number.MAX_SAFE_INTEGER;

type CapturedSnapshot = WrittenSnapshot & {
  components: BackupComponent[];
  warnings: string[];
  guildId: string;
  /** What the guild has, by which its health is judged and pointers at what is gone are found. */
  seen: SeenIds;
};

const captureSnapshot = async (
  dependencies: BackupDependencies,
  backup: StoredBackup,
  { signal, lease }: LeasedRun,
): Promise<CapturedSnapshot> => {
  const { db, blobs, platform } = dependencies;
  const { accountId, id: backupId, serverId, components, messagesPerChannel } = backup;
  const server = await findGuildOfServer(db, { accountId, serverId });
  if (!server) throw new PlatformFailure('aborted');
  const { guildId, botId } = server;
  const limitBytes =
    backup.kind === 'PRE_RESTORE'
      ? unlimitedBytes
      : await dependencies.storageLimitOf(db, accountId);
  const save = createObjectSaver({ db, blobs, lease, accountId, backupId, limitBytes });
  const key = await accountHashKey(db, dependencies.ring, accountId);
  const isErased = await readErased(db, dependencies.ring, {
    accountId,
    savedAt: savedAtOf(backup),
  });
  const panelMessageIds = await dependencies.listPanelMessages(db, { accountId, serverId });
  const indexPerson = (platformId: string) => hashPerson(key, platformId).indexHash;
  const writer = createSnapshotWriter(guildId, save, indexPerson);
  const warnings: string[] = [];
  const seen: CapturedSnapshot['seen'] = {};
  const advance = createProgressReporter(dependencies, { accountId, backupId });
  const captured = await useBot(dependencies, { botId, accountId }, (bot) =>
    captureGuild(
      {
        guildId,
        guild: bot.guild(guildId, { signal }),
        conversation: bot.conversation(guildId, { signal }),
        readIntents: once(() => readIntentsOf(dependencies, { botId, accountId }, bot, signal)),
        readImage: (image) => platform.readImage(image, signal),
        readFile: (url, largestBytes) => platform.readFile(url, { largestBytes, signal }),
        fileLimits: dependencies.fileLimits ?? defaultFileLimits,
        isErased,
        panelMessageIds,
        sink: {
          ...writer,
          async add(name, entries) {
            if (name === 'roles') {
              seen.roles = idsOf(entries);
              seen.managedRoles = idsOf(entries.filter(isManaged));
            }
            if (name === 'channels') seen.channels = idsOf(entries);
            return writer.add(name, await redactEntries(name, entries, isErased));
          },
          advance,
          warn: (message) => warnings.push(message),
        },
      },
      { components, messagesPerChannel },
    ),
  );
  return { ...(await writer.close(captured)), components: captured, warnings, guildId, seen };
};

const idsOf = (entries: readonly object[]): Set<string> =>
  new Set(entries.flatMap((entry) => ('id' in entry ? String(entry.id) : [])));

const isManaged = (entry: object): boolean => 'isManaged' in entry && entry.isManaged === true;

const progressEveryMs = 500;

/** Stores the progress now and then, and never backwards; only a completed backup has 100. */
const createProgressReporter = ({ db, log }: BackupDependencies, owner: BackupOwner) => {
  let reportedAt = 0;
  let reported = 0;
  return (done: number, total: number): void => {
    const progress = Math.min(99, Math.floor((done / total) * 100));
    if (progress <= reported || performance.now() - reportedAt < progressEveryMs) return;
    reported = progress;
    reportedAt = performance.now();
    storeProgress(db, owner, progress).catch((err) =>
      log.warn({ err, ...owner }, 'the progress of a backup could not be stored'),
    );
  };
};

const complete = async (
  dependencies: BackupDependencies,
  backup: StoredBackup,
  { checksum, counts, messages, components, warnings, guildId, seen }: CapturedSnapshot,
  { lease }: LeasedRun,
): Promise<void> => {
  const { accountId, id: backupId, serverId, kind } = backup;
  const owner = { accountId, backupId };
  const suspicious = await isSuspicious(dependencies, backup, checksum);
  await lease.transaction(dependencies.db, async (tx) => {
    const health = await dependencies.judgeCapture(tx, {
      ...{ accountId, serverId, guildId, seen, seenAt: savedAtOf(backup) },
      accepted: backup.acceptedAt ? { structure: backup.structure } : undefined,
    });
    const isEnded = await endBackup(tx, owner, {
      status: 'completed',
      checksum,
      components,
      counts: {
        ...countsOf(counts),
        // Also those in threads.
        messages: components.includes('messages') ? messages : 0,
      },
      ...(await measureBackup(tx, owner)),
      ...{ suspicious, warnings, health, structure: structureOf(seen, guildId) },
    });
    if (!isEnded) return;
    await storeSeenPointers(tx, { accountId, serverId, guildId }, seen);
    await dependencies.assessHealth(tx, { accountId, serverId });
    await dependencies.onCompleted(tx, { ...owner, serverId, kind });
    // A person may have erased themselves after the capture began.
    const erased = await listErased(tx, accountId, savedAtOf(backup));
    if (erased.length > 0) await dependencies.queue.enqueue(tx, redactAccount, { accountId });
    await recordEnd(tx, backup, 'backup.complete', { checksum, suspicious });
  });
};

/**
 * Compared with the newest good backup, where the owner does not accept the present state. One that cannot be
 * read says nothing about this one.
 */
const isSuspicious = async (
  { db, blobs, log }: BackupDependencies,
  backup: StoredBackup,
  checksum: string,
): Promise<boolean> => {
  const { accountId, serverId, acceptedAt } = backup;
  if (acceptedAt) return false;
  const baseline = await findBaseline(db, { id: serverId, accountId });
  if (!baseline || baseline.checksum === checksum) return false;
  const read = createObjectReader(db, blobs, accountId);
  const sections = ['roles', 'channels'] as const satisfies BackupComponent[];
  try {
    const [before, now] = await Promise.all(
      [baseline.checksum, checksum].map((one) => readSnapshot(read, one, sections, noneErased)),
    );
    return showsMassDeletion(before ?? {}, now ?? {});
  } catch (err) {
    if (isDatabaseFailure(err)) throw err;
    log.warn({ err, backupId: baseline.id }, 'an earlier backup cannot be read for comparison');
    return false;
  }
};
