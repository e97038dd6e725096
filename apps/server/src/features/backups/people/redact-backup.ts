import type { BackupCounts } from '@holdfast/contract';
import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Lease } from '../../../queue/lease.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { accountHashKey } from '../../accounts/hash-key.ts';
import { freeAccount } from '../free-account.ts';
import { dropDrafts, measureBackup, replaceReferences } from '../objects/queries.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { createObjectSaver } from '../objects/save-objects.ts';
import { type BackupOwner, findBackup, lockBackup, savedAtOf, updateBackup } from '../queries.ts';
import { type ReadObject, readManifest, readPage, readSectionList } from '../read-snapshot.ts';
import { encode, type Manifest } from '../sections.ts';
import type { SectionName } from '../snapshot.ts';
import type { SaveObject } from '../write-snapshot.ts';
import { readErased } from './erasures.ts';
import { hashPerson } from './hash-person.ts';
import { listBlobsOfErased } from './queries.ts';
import { type IsErased, peopleIn, redactEntries } from './redact.ts';

export type RedactTools = {
  db: Database;
  ring: KeyRing;
  blobs: SealedBlobs;
  queue: Pick<Queue, 'enqueue'>;
  /** Whether a restore reads the backup: then its objects stay until that has ended. */
  isBackupInUse(db: Queryable, backupId: string): Promise<boolean>;
  /** In the transaction that gives the backup its new checksum. */
  onRedacted(tx: Transaction, owner: BackupOwner): Promise<void>;
  /** How long whoever reads the backup at that moment has to finish. */
  graceSeconds?: number;
};

type Run = { signal: AbortSignal; lease: Pick<Lease, 'requireHeld'> };

/** A quota must not keep anybody from being erased. */
const unlimitedBytes = Number.MAX_SAFE_INTEGER;
/** Longer than any request takes that reads a backup. */
const usualGraceSeconds = 60;

/**
 * Rewrites the objects of a backup that hold somebody who erased themselves. The new objects are
 * stored beside the old ones, as drafts; one transaction then gives the backup its new checksum and lets
 * the old ones go. A worker that dies before it leaves the backup as it was. The next drops its drafts and
 * begins anew: they may hold somebody who erased themselves since.
 */
export const redactBackup = async (
  tools: RedactTools,
  owner: BackupOwner,
  run: Run,
): Promise<void> => {
  const { db, ring, blobs } = tools;
  const backup = await findBackup(db, owner);
  if (backup?.status !== 'completed' || backup.checksum === null) return;
  if (await tools.isBackupInUse(db, owner.backupId)) return;
  await db.transaction(async (tx) => {
    await run.lease.requireHeld(tx);
    await dropDrafts(tx, owner);
  });
  const savedAt = savedAtOf(backup);
  const { accountId } = owner;
  const draft = { ...owner, isDraft: true } as const;
  const save = createObjectSaver({ ...tools, ...run, ...draft, limitBytes: unlimitedBytes });
  const rewritten = await rewrite(
    {
      read: createObjectReader(db, blobs, accountId),
      save,
      key: await accountHashKey(db, ring, accountId),
      isErased: await readErased(db, ring, { accountId, savedAt }),
      affected: new Set(await listBlobsOfErased(db, owner)),
      signal: run.signal,
    },
    backup.checksum,
  );
  await swap(tools, owner, { ...rewritten, before: backup.checksum, counts: backup.counts }, run);
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
};

const rewrite = async (tools: Rewriting, checksum: string): Promise<Rewritten> => {
  const manifest = await readManifest(tools.read, checksum);
  const sections: Manifest['sections'] = { ...manifest.sections };
  const replaced: string[] = [];
  const removed: Rewritten['removed'] = {};
  // The keys of a manifest's sections are names of sections.
  for (const name of Object.keys(sections) as SectionName[]) {
    const hash = sections[name];
    const section = hash && (await rewriteSection(tools, name, hash));
    if (!section) continue;
    sections[name] = section.hash;
    removed[name] = section.removed;
    replaced.push(...section.replaced);
  }
  if (replaced.length === 0) return { checksum, replaced, removed };
  const redacted = await tools.save(encode({ ...manifest, sections }));
  return { checksum: redacted, replaced: [...replaced, checksum], removed };
};

/** Undefined where no page of it holds an erased person. */
const rewriteSection = async (tools: Rewriting, name: SectionName, hash: string) => {
  const { count, pages } = await readSectionList(tools.read, hash);
  const old = pages.filter((page) => tools.affected.has(page));
  if (old.length === 0) return undefined;
  const kept = pages.filter((page) => !tools.affected.has(page));
  let removed = 0;
  for (const page of old) {
    tools.signal.throwIfAborted();
    const rewritten = await rewritePage(tools, name, page);
    removed += rewritten.removed;
    if (rewritten.hash) kept.push(rewritten.hash);
  }
  const section = { count: count - removed, pages: kept.toSorted() };
  const replaced = old.filter((page) => !kept.includes(page));
  if (replaced.length === 0) return undefined;
  return { hash: await tools.save(encode(section)), replaced: [...replaced, hash], removed };
};

const rewritePage = async (
  { read, save, key, isErased }: Rewriting,
  name: SectionName,
  page: string,
) => {
  const entries = await readPage(read, page, name);
  const left = redactEntries(name, entries, isErased);
  const removed = entries.length - left.length;
  if (left.length === 0) return { removed, hash: undefined };
  const hashes = () => peopleIn(name, left).map((id) => hashPerson(key, id).indexHash);
  return { removed, hash: await save(encode(left), { section: name, hashes }) };
};

type Swap = Rewritten & { before: string; counts: BackupCounts };

const swap = (
  tools: RedactTools,
  owner: BackupOwner,
  { checksum, replaced, removed, before, counts }: Swap,
  { lease }: Run,
): Promise<void> =>
  tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    // Locked against a restore that is just being asked for: it reads either all old or all new.
    const backup = await lockBackup(tx, owner);
    if (backup?.checksum !== before || checksum === before) return;
    if (await tools.isBackupInUse(tx, owner.backupId)) return;
    const { graceSeconds = usualGraceSeconds } = tools;
    await replaceReferences(tx, owner, { replaced, graceSeconds });
    await updateBackup(tx, owner, {
      checksum,
      counts: countsWithout(counts, removed),
      ...(await measureBackup(tx, owner)),
      ...{ restorable: null, provedAt: null, losses: [] },
    });
    const later = { startAfterSeconds: graceSeconds };
    await tools.queue.enqueue(tx, freeAccount, { accountId: owner.accountId }, later);
    await tools.onRedacted(tx, owner);
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: { type: 'SYSTEM', id: null },
      action: 'backup.redact',
      subject: { type: 'backup', id: owner.backupId },
      changes: { checksum: { from: before, to: checksum } },
    });
  });

const countsWithout = (counts: BackupCounts, removed: Rewritten['removed']): BackupCounts => ({
  ...counts,
  members: counts.members - (removed.memberRoles ?? 0),
  messages: counts.messages - (removed.messages ?? 0),
});
