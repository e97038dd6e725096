import { largestImageBytes } from '@holdfast/contract';
import { z } from 'zod';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { parseJson } from '../../../kernel/json.ts';
import { type LeasedJob, ofAccount } from '../../../queue/job.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { accountHashKey } from '../../accounts/hash-key/hash-key.ts';
import { begin, fail, recordEnd } from '../capture/begin-and-end.ts';
import type { BackupDependencies } from '../capture/execute-backup.ts';
import { failureMessage } from '../capture/failure-message.ts';
import { findStoredObjects } from '../contents/inline-objects.ts';
import { hashPerson, readErased } from '../erasure/erasures.ts';
import { redactAccount } from '../erasure/jobs.ts';
import { listErased } from '../erasure/queries.ts';
import { redactEntries } from '../erasure/redact.ts';
import { structureOf } from '../last-good/structure.ts';
import { measureBackup } from '../objects/queries.ts';
import { createObjectReader } from '../objects/read-objects.ts';
import { createObjectSaver } from '../objects/save-objects.ts';
import { endBackup, findBackup, savedAtOf } from '../queries.ts';
import { countsOf } from '../rules.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { createSnapshotWriter, type WrittenSnapshot } from '../snapshot/write-snapshot.ts';
import { type Draft, draftShape } from './draft.ts';
import { release } from './passing-objects.ts';
import { documentSections } from './sections.ts';

export const runImport = {
  name: 'backups.import',
  payload: z.object({
    ...{ backupId: z.guid(), accountId: z.guid() },
    ...{ draftHash: z.string(), holderId: z.guid() },
  }),
  groupOf: ofAccount,
  concurrency: 4,
};
type Import = z.output<typeof runImport.payload>;

export const runImportJob = (dependencies: BackupDependencies): LeasedJob<Import> => ({
  ...runImport,
  subjectOf: ({ backupId }) => `backup:${backupId}`,
  async run({ holderId, ...payload }, signal, lease) {
    await executeImport(dependencies, payload, { signal, lease });
    // It may name people, so it is kept no longer than it is needed.
    await release(dependencies, { accountId: payload.accountId, holderId });
  },
});

type StoredBackup = NonNullable<Awaited<ReturnType<typeof findBackup>>>;

/** Turns a draft into a backup, which ends completed or failed. */
const executeImport = async (
  dependencies: BackupDependencies,
  { draftHash, ...owner }: Omit<Import, 'holderId'>,
  run: LeasedRun,
): Promise<void> => {
  const backup = await begin(dependencies.db, owner, run);
  if (!backup) return;
  try {
    const read = createObjectReader(dependencies.db, dependencies.blobs, owner.accountId);
    const draft = draftShape.parse(parseJson(await read(draftHash)));
    const written = await writeDraft(dependencies, backup, draft, run);
    await complete(dependencies, backup, draft.snapshot, written, run);
  } catch (error) {
    run.signal.throwIfAborted();
    // It was deleted meanwhile: its end concerns no one.
    if (!(await findBackup(dependencies.db, owner))) return;
    if (isDatabaseFailure(error)) throw error;
    dependencies.log.warn({ err: error, ...owner }, 'an import failed');
    const message = error instanceof ImageBroken ? error.message : failureMessage(error);
    await fail(dependencies, backup, message, run);
  }
};

class ImageBroken extends Error {
  constructor(name: string, problem: string) {
    super(`Image ${name} ${problem}`);
    this.name = 'ImageBroken';
  }
}

/** People who were erased do not come back by a document, whoever wrote it. */
const writeDraft = async (
  dependencies: BackupDependencies,
  backup: StoredBackup,
  { snapshot, images }: Draft,
  { signal, lease }: LeasedRun,
): Promise<WrittenSnapshot> => {
  const { db, blobs, ring } = dependencies;
  const { accountId, id: backupId } = backup;
  const limitBytes = await dependencies.storageLimitOf(db, accountId);
  const save = createObjectSaver({ db, blobs, lease, accountId, backupId, limitBytes });
  const read = createObjectReader(db, blobs, accountId);
  const pieces = new Map(images.map((image) => [hashOf(image.name), image]));
  for (const hash of new Set(findStoredObjects(snapshot).map((image) => image.hash))) {
    signal.throwIfAborted();
    const given = pieces.get(hash);
    await save(given ? await assemble(read, given, blobs.hashOf) : await read(hash));
  }
  const key = await accountHashKey(db, ring, accountId);
  const isErased = await readErased(db, ring, { accountId, savedAt: savedAtOf(backup) });
  const writer = createSnapshotWriter(
    snapshot.guildId,
    save,
    (platformId) => hashPerson(key, platformId).indexHash,
  );
  const components = documentSections.filter((name) => snapshot[name] !== undefined);
  for (const name of components) {
    await writer.add(name, await redactEntries(name, snapshot[name] ?? [], isErased));
  }
  return writer.close(components);
};

const hashOf = (name: string): string => name.slice(0, name.indexOf('.'));

const assemble = async (
  read: (hash: string) => Promise<Uint8Array>,
  { name, pieces }: Draft['images'][number],
  hashBytes: (bytes: Uint8Array) => string,
): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for (const piece of pieces) {
    const part = await read(piece);
    sizeBytes += part.length;
    if (sizeBytes > largestImageBytes) throw new ImageBroken(name, 'is too large');
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  if (hashBytes(bytes) !== hashOf(name)) throw new ImageBroken(name, 'has other bytes');
  return bytes;
};

const complete = (
  { db, queue, onCompleted }: BackupDependencies,
  backup: StoredBackup,
  { guildId, roles = [], channels = [] }: Snapshot,
  { checksum, counts }: WrittenSnapshot,
  { lease }: LeasedRun,
): Promise<void> => {
  const { accountId, id: backupId, serverId, kind, components } = backup;
  const owner = { accountId, backupId };
  const idsOf = (things: { id: string }[]) => new Set(things.map(({ id }) => id));
  const seen = {
    roles: idsOf(roles),
    managedRoles: idsOf(roles.filter(({ isManaged }) => isManaged)),
    channels: idsOf(channels),
  };
  return lease.transaction(db, async (tx) => {
    const isEnded = await endBackup(tx, owner, {
      ...{ status: 'completed', checksum, components, counts: countsOf(counts) },
      ...(await measureBackup(tx, owner)),
      ...{ suspicious: false, warnings: [], structure: structureOf(seen, guildId) },
      // A document shows no state of the server: it is never its last good backup.
      health: 'LOST',
    });
    if (!isEnded) return;
    await onCompleted(tx, { ...owner, serverId, kind });
    // A person may have erased themselves after the import began.
    const erased = await listErased(tx, accountId, savedAtOf(backup));
    if (erased.length > 0) await queue.enqueue(tx, redactAccount, { accountId });
    await recordEnd(tx, backup, 'backup.complete', { checksum });
  });
};
