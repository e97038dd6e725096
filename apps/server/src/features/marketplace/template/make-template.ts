import type { BackupCounts } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import { isDatabaseFailure } from '../../../db/failures.ts';
import { createTurns } from '../../../http/turns.ts';
import { DeadlinePassed, withinDeadline } from '../../../kernel/deadline.ts';
import { conflict, notFound, planRefuses, Refusal } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { inParallel } from '../../../kernel/in-parallel.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { failureSentence } from '../../backups/failure-sentence.ts';
import { addressOf } from '../../backups/objects/address.ts';
import { referToBlobs } from '../../backups/objects/queries.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { createObjectSaver, StorageLimitReached } from '../../backups/objects/save-objects.ts';
import { nobodyErased } from '../../backups/people/redact.ts';
import { findBackup } from '../../backups/queries.ts';
import { readSnapshot } from '../../backups/read-snapshot.ts';
import { countsOf } from '../../backups/rules.ts';
import { templateComponents } from '../../backups/template.ts';
import { createSnapshotWriter } from '../../backups/write-snapshot.ts';
import { drill } from '../../restores/drill.ts';
import { insertTemplate } from './queries.ts';
import { stripSnapshot, type TemplateSnapshot } from './strip-snapshot.ts';

export type TemplateTools = { db: Database; blobs: SealedBlobs };

type Source = { accountId: string; backupId: string; maxStorageBytes: number };
type TemplatePart = (typeof templateComponents)[number];

export type MadeTemplate = {
  id: string;
  accountId: string;
  manifest: string;
  components: TemplatePart[];
  counts: BackupCounts;
};

/** Somebody waits for the answer, and the listing is still to be written. */
const patienceMs = 3500;
const picturesAtOnce = 8;
const differencesTold = 3;

export type MakeTemplate = (source: Source) => Promise<MadeTemplate | { refusal: Refusal }>;

/**
 * Makes a template from a backup: read, stripped of people and ids, restored into a server in memory,
 * and stored. What speaks against it is a refusal, for the caller to throw.
 */
export const createTemplateMaker = (tools: TemplateTools): MakeTemplate => {
  // It takes processor time: an account gets no more of it at once than it has changes.
  const inTurn = createTurns();
  return async (source) => {
    const backup = await findUsable(tools.db, source);
    if ('refusal' in backup) return backup;
    try {
      return await withinDeadline({ ms: patienceMs, lastMs: patienceMs }, () =>
        inTurn(source.accountId, () => make(tools, source, backup)),
      );
    } catch (error) {
      return { refusal: refusalFor(error) };
    }
  };
};

type Usable = { checksum: string; parts: TemplatePart[] };

const findUsable = async (db: Database, source: Source): Promise<Usable | { refusal: Refusal }> => {
  const backup = await findBackup(db, source);
  if (!backup) return { refusal: notFound('Backup') };
  const { checksum, components } = backup;
  if (backup.status !== 'completed' || checksum === null) {
    return { refusal: conflict('A template is made from a completed backup, which this is not') };
  }
  const parts = templateComponents.filter((part) => components.includes(part));
  // Without the roles that its overwrites name, a channel that is hidden would be open.
  if (!parts.includes('roles') || !parts.includes('channels')) {
    return { refusal: conflict('A template needs a backup that holds roles and channels') };
  }
  return { checksum, parts };
};

const refusalFor = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  if (isDatabaseFailure(error)) throw error;
  if (error instanceof StorageLimitReached) return planRefuses(error.message);
  if (error instanceof DeadlinePassed) {
    return conflict('This backup could not be checked in time: try again later');
  }
  return conflict(failureSentence(error));
};

const make = async (
  tools: TemplateTools,
  source: Source,
  { checksum, parts }: Usable,
): Promise<MadeTemplate | { refusal: Refusal }> => {
  const read = createObjectReader(tools.db, tools.blobs, source.accountId);
  // A template names nobody, whoever erased themselves.
  const snapshot = stripSnapshot(await readSnapshot(read, checksum, parts, nobodyErased));
  const { restorable, differences } = await drill(snapshot);
  if (!restorable) {
    const told = differences.slice(0, differencesTold).join('; ');
    return { refusal: conflict(`The template would not come back whole. ${told}`.trim()) };
  }
  return store(tools, source, snapshot, parts);
};

/** A request holds no lease; what it leaves behind where it dies is nobody's, and goes. */
const unleased = { requireHeld: async () => undefined };

const store = async (
  { db, blobs }: TemplateTools,
  { accountId, maxStorageBytes }: Source,
  snapshot: TemplateSnapshot,
  parts: TemplatePart[],
): Promise<MadeTemplate> => {
  const id = newId();
  await insertTemplate(db, { id, accountId });
  const holder = { accountId, holderId: id };
  await keepPictures({ db, blobs }, holder, snapshot);
  const limitBytes = maxStorageBytes;
  const save = createObjectSaver({ db, blobs, lease: unleased, ...holder, limitBytes });
  const writer = createSnapshotWriter(snapshot.guildId, save, undefined);
  await writer.add('settings', snapshot.settings ?? []);
  await writer.add('roles', snapshot.roles);
  await writer.add('channels', snapshot.channels);
  await writer.add('emojis', snapshot.emojis ?? []);
  const { checksum: manifest, counts } = await writer.close(parts);
  return { id, accountId, manifest, components: parts, counts: countsOf(counts) };
};

/** They are the seller's objects already; each is read, so that none is sold that is not there. */
const keepPictures = async (
  { db, blobs }: TemplateTools,
  holder: { accountId: string; holderId: string },
  { settings, emojis }: TemplateSnapshot,
): Promise<void> => {
  const pictures = [
    ...(settings ?? []).flatMap((entry) => Object.values(entry.pictures)),
    ...(emojis ?? []).map(({ image }) => image),
  ];
  const hashes = [...new Set(pictures.flatMap((picture) => picture?.hash ?? []))];
  if (hashes.length === 0) return;
  const held = await db.transaction((tx) => referToBlobs(tx, holder, hashes));
  const addresses = new Map(held.map((blob) => [blob.hash, addressOf(blob)]));
  await inParallel(picturesAtOnce, hashes, (hash) =>
    blobs.verify(addresses.get(hash) ?? { accountId: holder.accountId, hash }),
  );
};
