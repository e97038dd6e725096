import type { BackupComponent, BackupCounts } from '@holdfast/contract';
import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import type { Queue } from '../../../queue/queue.ts';
import { accountHashKey } from '../../accounts/hash-key/hash-key.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { releaseStorage } from '../objects/jobs.ts';
import { deleteDrafts, measureBackup, replaceReferences } from '../objects/queries.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { createObjectSaver } from '../objects/save-objects.ts';
import { type BackupOwner, findBackup, lockBackup, savedAtOf, updateBackup } from '../queries.ts';
import {
  type ReadObject,
  readManifest,
  readPage,
  readSectionList,
} from '../snapshot/read-snapshot.ts';
import { encode, type Manifest } from '../snapshot/sections.ts';
import type { SectionName } from '../snapshot/snapshot.ts';
import { countMessages, type SaveObject } from '../snapshot/write-snapshot.ts';
import { findUnreferred, objectsReferredBy } from './dropped-objects.ts';
import { hashPerson, readErased } from './erasures.ts';
import { listBlobsToRedact } from './queries.ts';
import { peopleIn, redactEntries } from './redact.ts';
import type { IsErased } from './redact-text.ts';

export type RedactionDependencies = {
  db: Database;
  ring: KeyRing;
  blobs: SealedBlobs;
  queue: Pick<Queue, 'enqueue'>;
  /** Whether a restore is reading the backup: then it is redacted after the restore. */
  isBackupInUse(db: Queryable, backupId: string): Promise<boolean>;
  /** Runs in the transaction that gives the backup its new checksum. */
  onRedacted(tx: Transaction, owner: BackupOwner): Promise<void>;
  /** How long a reader of the old objects has to finish. */
  graceSeconds?: number;
};

/** A full storage must not prevent an erasure. */
const unlimitedBytes = Number.MAX_SAFE_INTEGER;
/** Longer than any request that reads a backup. */
const defaultGraceSeconds = 60;

/**
 * Rewrites the objects of a backup that hold an erased person. The new objects are stored beside the
 * old ones, as drafts; one transaction then gives the backup its new checksum and releases the old ones.
 * A worker that dies before it leaves the backup as it was. The next run deletes the drafts and begins
 * again, because they may hold a person who was erased meanwhile.
 */
export const redactBackup = async (
  dependencies: RedactionDependencies,
  owner: BackupOwner,
  run: LeasedRun,
): Promise<void> => {
  const { db, ring, blobs } = dependencies;
  const backup = await findBackup(db, owner);
  if (backup?.status !== 'completed' || backup.checksum === null) return;
  if (await dependencies.isBackupInUse(db, owner.backupId)) return;
  await run.lease.transaction(db, (tx) => deleteDrafts(tx, owner));
  const savedAt = savedAtOf(backup);
  const { accountId } = owner;
  const draft = { ...owner, isDraft: true } as const;
  const save = createObjectSaver({ ...dependencies, ...run, ...draft, limitBytes: unlimitedBytes });
  const rewritten = await rewrite(
    {
      read: createObjectReader(db, blobs, accountId),
      save,
      key: await accountHashKey(db, ring, accountId),
      isErased: await readErased(db, ring, { accountId, savedAt }),
      affected: new Set(await listBlobsToRedact(db, owner)),
      signal: run.signal,
    },
    backup.checksum,
  );
  await swap(
    dependencies,
    owner,
    { ...rewritten, before: backup.checksum, components: backup.components, counts: backup.counts },
    run,
  );
};

type Rewriting = {
  read: ReadObject;
  save: SaveObject;
  key: Secret;
  isErased: IsErased;
  /** The hashes of the objects that hold an erased person. */
  affected: ReadonlySet<string>;
  signal: AbortSignal;
};

type Rewritten = {
  checksum: string;
  /** Objects that the backup does not refer to any more. */
  replaced: string[];
  removed: Partial<Record<SectionName, number>>;
  removedMessages: number;
};

const rewrite = async (rewriting: Rewriting, checksum: string): Promise<Rewritten> => {
  const manifest = await readManifest(rewriting.read, checksum);
  const sections: Manifest['sections'] = { ...manifest.sections };
  const replaced: string[] = [];
  const removed: Rewritten['removed'] = {};
  const dropped = new Set<string>();
  let removedMessages = 0;
  // The keys of a manifest's sections are names of sections.
  for (const name of Object.keys(sections) as SectionName[]) {
    const hash = sections[name];
    const section = hash && (await rewriteSection(rewriting, name, hash));
    if (!section) continue;
    sections[name] = section.hash;
    removed[name] = section.removed;
    replaced.push(...section.replaced);
    removedMessages += section.removedMessages;
    for (const object of section.dropped) dropped.add(object);
  }
  if (replaced.length === 0) return { checksum, replaced, removed, removedMessages };
  const files = await findUnreferred(rewriting.read, sections, dropped);
  const redacted = await rewriting.save(encode({ ...manifest, sections }));
  return {
    checksum: redacted,
    replaced: [...replaced, ...files, checksum],
    removed,
    removedMessages,
  };
};

/** Undefined where no page of it holds an erased person. */
const rewriteSection = async (rewriting: Rewriting, name: SectionName, hash: string) => {
  const { count, pages } = await readSectionList(rewriting.read, hash);
  const old = pages.filter((page) => rewriting.affected.has(page));
  if (old.length === 0) return undefined;
  const kept = pages.filter((page) => !rewriting.affected.has(page));
  let removed = 0;
  let removedMessages = 0;
  const dropped: string[] = [];
  for (const page of old) {
    rewriting.signal.throwIfAborted();
    const rewritten = await rewritePage(rewriting, name, page);
    removed += rewritten.removed;
    removedMessages += rewritten.removedMessages;
    dropped.push(...rewritten.dropped);
    if (rewritten.hash) kept.push(rewritten.hash);
  }
  const section = { count: count - removed, pages: kept.toSorted() };
  const replaced = old.filter((page) => !kept.includes(page));
  if (replaced.length === 0) return undefined;
  return {
    hash: await rewriting.save(encode(section)),
    replaced: [...replaced, hash],
    ...{ removed, removedMessages, dropped },
  };
};

const rewritePage = async (
  { read, save, key, isErased }: Rewriting,
  name: SectionName,
  page: string,
) => {
  const entries = await readPage(read, page, name);
  const left = await redactEntries(name, entries, isErased);
  const counted = {
    removed: entries.length - left.length,
    removedMessages: countMessages(name, entries) - countMessages(name, left),
    dropped: objectsReferredBy(entries),
  };
  if (left.length === 0) return { ...counted, hash: undefined };
  const hashes = () => peopleIn(name, left).map((id) => hashPerson(key, id).indexHash);
  return { ...counted, hash: await save(encode(left), { section: name, hashes }) };
};

type Swap = Rewritten & {
  before: string;
  components: readonly BackupComponent[];
  counts: BackupCounts;
};

const swap = (
  dependencies: RedactionDependencies,
  owner: BackupOwner,
  { checksum, replaced, before, components, counts, ...removal }: Swap,
  { lease }: LeasedRun,
): Promise<void> =>
  lease.transaction(dependencies.db, async (tx) => {
    // The lock keeps a new restore out: it reads either only old or only new objects.
    const backup = await lockBackup(tx, owner);
    if (backup?.checksum !== before || checksum === before) return;
    if (await dependencies.isBackupInUse(tx, owner.backupId)) return;
    const { graceSeconds = defaultGraceSeconds } = dependencies;
    await replaceReferences(tx, owner, { replaced, graceSeconds });
    await updateBackup(tx, owner, {
      checksum,
      counts: countsWithout(components, counts, removal),
      ...(await measureBackup(tx, owner)),
      ...{ restorable: null, provedAt: null, losses: [] },
    });
    const later = { startAfterSeconds: graceSeconds };
    await dependencies.queue.enqueue(tx, releaseStorage, { accountId: owner.accountId }, later);
    await dependencies.onRedacted(tx, owner);
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: systemActor,
      action: 'backup.redact',
      subject: { type: 'backup', id: owner.backupId },
      changes: { checksum: { from: before, to: checksum } },
    });
  });

const countsWithout = (
  components: readonly BackupComponent[],
  counts: BackupCounts,
  { removed, removedMessages }: Pick<Rewritten, 'removed' | 'removedMessages'>,
): BackupCounts => ({
  ...counts,
  members: counts.members - (removed.memberRoles ?? 0),
  messages: components.includes('messages') ? counts.messages - removedMessages : 0,
  threads: counts.threads - (removed.threads ?? 0),
});
