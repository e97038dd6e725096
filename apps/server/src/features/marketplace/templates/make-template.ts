import type { BackupCounts } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { createAccountSemaphore } from '../../../http/limits/account-concurrency.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Aside } from '../../../kernel/aside.ts';
import { inParallel } from '../../../kernel/concurrency.ts';
import { DeadlinePassed, withinDeadline } from '../../../kernel/deadline.ts';
import { conflict, forbidden, HttpError, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import { noneErased } from '../../backups/erasure/redact.ts';
import { referenceBlobs } from '../../backups/objects/queries.ts';
import { addressOf, createObjectReader } from '../../backups/objects/read-objects.ts';
import { createObjectSaver, StorageLimitReached } from '../../backups/objects/save-objects.ts';
import { findBackup } from '../../backups/queries.ts';
import { countsOf } from '../../backups/rules.ts';
import { modeFor } from '../../backups/snapshot/large.ts';
import { readSnapshot } from '../../backups/snapshot/read-snapshot.ts';
import { templateComponents } from '../../backups/snapshot/template.ts';
import { createSnapshotWriter } from '../../backups/snapshot/write-snapshot.ts';
import { insertTemplate } from '../queries/templates.ts';
import { makeTemplateTask } from './make-template-task.ts';
import type { TemplateSnapshot } from './strip-snapshot.ts';

export type TemplateDependencies = {
  db: Database;
  blobs: SealedBlobs;
  aside: Pick<Aside, 'run'>;
  /** Multiplies how long it may take: tests run in parallel on a loaded machine. */
  patience?: number | undefined;
};

type Stores = Pick<TemplateDependencies, 'db' | 'blobs'>;
type Source = { accountId: string; backupId: string; maxStorageBytes: number };
type TemplateComponent = (typeof templateComponents)[number];

type StoredTemplate = {
  id: string;
  accountId: string;
  manifest: string;
  components: TemplateComponent[];
  counts: BackupCounts;
};

/** The HTTP request that waits for the template must still write the listing. */
const timeoutMs = 3500;
const picturesAtOnce = 8;
const maxDifferences = 3;

export type MakeTemplate = (source: Source) => Promise<StoredTemplate | { refusal: HttpError }>;

/**
 * Makes a template from a backup: the snapshot is read, stripped of people and ids, test-restored and stored.
 * A reason against it is returned as a refusal, for the caller to throw.
 */
export const createTemplateMaker = (dependencies: TemplateDependencies): MakeTemplate => {
  // Making a template is CPU work, so it is limited per account.
  const { patience = 1 } = dependencies;
  const limitPerAccount = createAccountSemaphore(undefined, patience);
  const ms = timeoutMs * patience;
  return async (source) => {
    const backup = await findUsableBackup(dependencies.db, source);
    if ('refusal' in backup) return backup;
    try {
      return await withinDeadline({ ms, lastMs: ms }, () =>
        limitPerAccount(source.accountId, () => make(dependencies, source, backup)),
      );
    } catch (error) {
      return { refusal: refusalFor(error) };
    }
  };
};

type UsableBackup = { checksum: string; components: TemplateComponent[] };

const findUsableBackup = async (
  db: Database,
  source: Source,
): Promise<UsableBackup | { refusal: HttpError }> => {
  const backup = await findBackup(db, source);
  if (!backup) return { refusal: notFound('Backup') };
  const { checksum } = backup;
  if (backup.status !== 'completed' || checksum === null) {
    return { refusal: conflict('A template is made from a completed backup, which this is not') };
  }
  const components = templateComponents.filter((name) => backup.components.includes(name));
  // Without the roles that their overwrites name, hidden channels would be visible.
  if (!components.includes('roles') || !components.includes('channels')) {
    return { refusal: conflict('A template needs a backup that holds roles and channels') };
  }
  return { checksum, components };
};

const refusalFor = (error: unknown): HttpError => {
  if (error instanceof HttpError) return error;
  if (isDatabaseFailure(error)) throw error;
  if (error instanceof StorageLimitReached) return forbidden(error.message);
  if (error instanceof DeadlinePassed) {
    return conflict('This backup could not be checked in time: try again later');
  }
  return conflict(failureMessage(error));
};

const make = async (
  dependencies: TemplateDependencies,
  source: Source,
  { checksum, components }: UsableBackup,
): Promise<StoredTemplate | { refusal: HttpError }> => {
  const read = createObjectReader(dependencies.db, dependencies.blobs, source.accountId);
  // A template holds no people, so erasures need not be applied.
  const snapshot = await readSnapshot(read, checksum, components, noneErased);
  const by = { accountId: source.accountId, mode: modeFor(snapshot), waits: 'request' } as const;
  const { template, tested } = await dependencies.aside.run(
    makeTemplateTask,
    { snapshot },
    null,
    by,
  );
  const { restorable, differences } = tested;
  if (!restorable) {
    const listed = differences.slice(0, maxDifferences).join('; ');
    return { refusal: conflict(`The template would not come back whole. ${listed}`.trim()) };
  }
  return store(dependencies, source, template, components);
};

/** A request has no lease. If its process dies, a job deletes the template without a listing. */
const unleased: Pick<Lease, 'transaction'> = { transaction: (db, work) => db.transaction(work) };

const store = async (
  { db, blobs }: Stores,
  { accountId, maxStorageBytes }: Source,
  snapshot: TemplateSnapshot,
  components: TemplateComponent[],
): Promise<StoredTemplate> => {
  const id = newId();
  await insertTemplate(db, { id, accountId });
  const holder = { accountId, holderId: id };
  await referencePictures({ db, blobs }, holder, snapshot);
  const limitBytes = maxStorageBytes;
  const save = createObjectSaver({ db, blobs, lease: unleased, ...holder, limitBytes });
  const writer = createSnapshotWriter(snapshot.guildId, save, undefined);
  await writer.add('settings', snapshot.settings ?? []);
  await writer.add('roles', snapshot.roles);
  await writer.add('channels', snapshot.channels);
  await writer.add('emojis', snapshot.emojis ?? []);
  const { checksum: manifest, counts } = await writer.close(components);
  return { id, accountId, manifest, components, counts: countsOf(counts) };
};

/** The pictures are objects of the seller already. Each is read, so that a missing one is not sold. */
const referencePictures = async (
  { db, blobs }: Stores,
  holder: { accountId: string; holderId: string },
  { settings, emojis }: TemplateSnapshot,
): Promise<void> => {
  const pictures = [
    ...(settings ?? []).flatMap((entry) => Object.values(entry.pictures)),
    ...(emojis ?? []).map(({ image }) => image),
  ];
  const hashes = [...new Set(pictures.flatMap((picture) => picture?.hash ?? []))];
  if (hashes.length === 0) return;
  const referenced = await db.transaction((tx) => referenceBlobs(tx, holder, hashes));
  const addresses = new Map(referenced.map((blob) => [blob.hash, addressOf(blob)]));
  await inParallel(picturesAtOnce, hashes, (hash) =>
    blobs.verify(addresses.get(hash) ?? { accountId: holder.accountId, hash }),
  );
};
