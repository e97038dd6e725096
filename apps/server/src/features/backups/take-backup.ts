import type { BackupComponent } from '@holdfast/contract';
import type { Database, Transaction } from '../../db/connect.ts';
import { isDatabaseFailure } from '../../db/failures.ts';
import type { Log } from '../../kernel/log.ts';
import type { SealedBlobs } from '../../integrations/blobs/sealed-blobs.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { Lease } from '../../queue/lease.ts';
import type { Queue } from '../../queue/queue.ts';
import { recordAudit } from '../audit/queries.ts';
import { type BotTools, useBot } from '../bots/use-bot.ts';
import { findGuildOfServer } from '../servers/queries.ts';
import { accountHashKey } from '../accounts/hash-key.ts';
import { capture } from './capture.ts';
import { failureSentence } from './failure-sentence.ts';
import { freeAccount } from './free-account.ts';
import { dropReferences, measureBackup } from './objects/queries.ts';
import { createObjectReader } from './objects/read-objects.ts';
import { createObjectSaver } from './objects/save-objects.ts';
import { readErased } from './people/erasures.ts';
import { hashPerson } from './people/hash-person.ts';
import { redactAccount } from './people/job-names.ts';
import { listErased } from './people/queries.ts';
import { nobodyErased, redactEntries } from './people/redact.ts';
import {
  type BackupOwner,
  beginBackup,
  endBackup,
  findBackup,
  findBaseline,
  savedAtOf,
  tellProgress,
} from './queries.ts';
import { readSnapshot } from './read-snapshot.ts';
import { countsOf, showsMassDeletion } from './rules.ts';
import { createSnapshotWriter, type WrittenSnapshot } from './write-snapshot.ts';

export type BackupTools = BotTools & {
  blobs: SealedBlobs;
  queue: Pick<Queue, 'enqueue'>;
  log: Log;
  /** How much the account's plan lets it store. */
  storageLimitOf(db: Database, accountId: string): Promise<number>;
  /** What is to be done in the transaction that completes a backup. */
  onCompleted(
    tx: Transaction,
    backup: BackupOwner & { serverId: string; kind: StoredBackup['kind'] },
  ): Promise<void>;
};

type Run = { signal: AbortSignal; lease: Lease };
type StoredBackup = NonNullable<Awaited<ReturnType<typeof findBackup>>>;

/** Takes a backup that is queued, or that a worker left unfinished. It ends completed or failed. */
export const takeBackup = async (
  tools: BackupTools,
  owner: BackupOwner,
  run: Run,
): Promise<void> => {
  const backup = await begin(tools.db, owner, run);
  if (!backup) return;
  try {
    const taken = await takeSnapshot(tools, backup, run);
    await complete(tools, backup, taken, run);
  } catch (error) {
    run.signal.throwIfAborted();
    // Deleted while it ran: nothing could refer to it any more, and nobody waits for its end.
    if (!(await findBackup(tools.db, owner))) return;
    if (isDatabaseFailure(error)) throw error;
    tools.log.warn({ err: error, ...owner }, 'a backup failed');
    await fail(tools, backup, failureSentence(error), run);
  }
};

/** Under the lease: a worker that slept must not take its objects from a backup that others completed. */
const begin = (db: Database, owner: BackupOwner, { lease }: Run) =>
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    if (!(await beginBackup(tx, owner))) return undefined;
    await dropReferences(tx, owner);
    return findBackup(tx, owner);
  });

/** Safety snapshots are outside the quota: a full storage must not keep anybody from restoring. */
const unlimitedBytes = Number.MAX_SAFE_INTEGER;

type TakenSnapshot = WrittenSnapshot & { components: BackupComponent[]; warnings: string[] };

const takeSnapshot = async (
  tools: BackupTools,
  backup: StoredBackup,
  { signal, lease }: Run,
): Promise<TakenSnapshot> => {
  const { db, blobs, platform } = tools;
  const { accountId, id: backupId, serverId, components, messagesPerChannel } = backup;
  const server = await findGuildOfServer(db, { accountId, serverId });
  if (!server) throw new PlatformFailure('aborted');
  const { guildId, botId } = server;
  const limitBytes =
    backup.kind === 'PRE_RESTORE' ? unlimitedBytes : await tools.storageLimitOf(db, accountId);
  const save = createObjectSaver({ db, blobs, lease, accountId, backupId, limitBytes });
  const key = await accountHashKey(db, tools.ring, accountId);
  const isErased = await readErased(db, tools.ring, { accountId, savedAt: savedAtOf(backup) });
  const indexPerson = (platformId: string) => hashPerson(key, platformId).indexHash;
  const writer = createSnapshotWriter(guildId, save, indexPerson);
  const warnings: string[] = [];
  const advance = createProgressTeller(tools, { accountId, backupId });
  const captured = await useBot(tools, { botId, accountId }, (bot) =>
    capture(
      {
        guildId,
        guild: bot.guild(guildId, { signal }),
        readImage: (image) => platform.readImage(image, signal),
        sink: {
          ...writer,
          add: (name, entries) => writer.add(name, redactEntries(name, entries, isErased)),
          advance,
          warn: (sentence) => warnings.push(sentence),
        },
      },
      { components, messagesPerChannel },
    ),
  );
  return { ...(await writer.close(captured)), components: captured, warnings };
};

const progressEveryMs = 500;

/** Told now and then, and never backwards; 100 is for the end. */
const createProgressTeller = ({ db, log }: BackupTools, owner: BackupOwner) => {
  let toldAt = 0;
  let told = 0;
  return (done: number, total: number): void => {
    const progress = Math.min(99, Math.floor((done / total) * 100));
    if (progress <= told || performance.now() - toldAt < progressEveryMs) return;
    told = progress;
    toldAt = performance.now();
    tellProgress(db, owner, progress).catch((err) =>
      log.warn({ err, ...owner }, 'progress could not be told'),
    );
  };
};

const complete = async (
  tools: BackupTools,
  backup: StoredBackup,
  { checksum, counts, components, warnings }: TakenSnapshot,
  { lease }: Run,
): Promise<void> => {
  const { accountId, id: backupId } = backup;
  const owner = { accountId, backupId };
  const suspicious = await isSuspicious(tools, backup, checksum);
  await tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    const isEnded = await endBackup(tx, owner, {
      status: 'completed',
      checksum,
      components,
      counts: countsOf(counts),
      ...(await measureBackup(tx, owner)),
      suspicious,
      warnings,
    });
    if (!isEnded) return;
    const { serverId, kind } = backup;
    await tools.onCompleted(tx, { ...owner, serverId, kind });
    // Somebody may have erased themselves after the snapshot was begun.
    const erased = await listErased(tx, accountId, savedAtOf(backup));
    if (erased.length > 0) await tools.queue.enqueue(tx, redactAccount, { accountId });
    await recordEnd(tx, backup, 'backup.complete', { checksum, suspicious });
  });
};

/** Compared with the last one that was good. One that cannot be read says nothing about this one. */
const isSuspicious = async (
  { db, blobs, log }: BackupTools,
  backup: StoredBackup,
  checksum: string,
): Promise<boolean> => {
  const { accountId, serverId } = backup;
  const baseline = await findBaseline(db, { id: serverId, accountId });
  if (!baseline || baseline.checksum === checksum) return false;
  const read = createObjectReader(db, blobs, accountId);
  const parts = ['roles', 'channels'] as const satisfies BackupComponent[];
  try {
    const [before, now] = await Promise.all(
      [baseline.checksum, checksum].map((one) => readSnapshot(read, one, parts, nobodyErased)),
    );
    return showsMassDeletion(before ?? {}, now ?? {});
  } catch (err) {
    if (isDatabaseFailure(err)) throw err;
    log.warn({ err, backupId: baseline.id }, 'an earlier backup cannot be compared with');
    return false;
  }
};

const fail = (
  { db, queue }: BackupTools,
  backup: StoredBackup,
  error: string,
  { lease }: Run,
): Promise<void> =>
  db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    const owner = { accountId: backup.accountId, backupId: backup.id };
    if (!(await endBackup(tx, owner, { status: 'failed', error }))) return;
    await dropReferences(tx, owner);
    await queue.enqueue(tx, freeAccount, { accountId: backup.accountId });
    await recordEnd(tx, backup, 'backup.fail', { error });
  });

const recordEnd = (
  tx: Transaction,
  backup: StoredBackup,
  action: 'backup.complete' | 'backup.fail',
  changes: Record<string, unknown>,
) =>
  recordAudit(tx, {
    accountId: backup.accountId,
    actor: { type: 'SYSTEM', id: null },
    action,
    subject: { type: 'backup', id: backup.id },
    changes,
  });
