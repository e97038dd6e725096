import { EncodedAnswer } from '../../../http/endpoint/encoded-answer.ts';
import { conflict } from '../../../kernel/errors.ts';
import { findStoredObjects } from '../contents/inline-objects.ts';
import {
  type BackupAddress,
  type ContentsDependencies,
  readBackup,
} from '../contents/read-backup.ts';
import { readErased } from '../erasure/erasures.ts';
import { noneErased, redactSnapshot } from '../erasure/redact.ts';
import { savedAtOf } from '../queries.ts';
import { modeFor } from '../snapshot/large.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { limitToTemplate } from '../snapshot/template.ts';
import { nameOfImage } from './images.ts';
import { documentSections } from './sections.ts';
import { hasCore } from './write-document.ts';
import { writeDocumentTask } from './write-document-task.ts';

/** Hands the structure in a completed backup to the work, with a reader of its objects. */
export const readStructure = <Result>(
  dependencies: ContentsDependencies,
  address: BackupAddress,
  work: (
    snapshot: Snapshot,
    read: (hash: string) => Promise<Uint8Array>,
  ) => Result | Promise<Result>,
): Promise<Result> =>
  readBackup(dependencies, address, async (backup, read) => {
    const { db, ring } = dependencies;
    const { accountId } = address.server;
    const stored = await readSnapshot(read, backup.checksum, documentSections, noneErased);
    const source = { accountId, savedAt: savedAtOf(backup) };
    // After the objects: people who were erased while they were read are not in it either.
    const redacted = await redactSnapshot(stored, await readErased(db, ring, source));
    return work(backup.kind === 'MARKETPLACE' ? await limitToTemplate(redacted) : redacted, read);
  });

export const readBackupDocument = (
  dependencies: ContentsDependencies,
  address: BackupAddress,
  withPeople: boolean,
): Promise<EncodedAnswer> =>
  readStructure(dependencies, address, async (snapshot) => {
    if (!hasCore(snapshot)) {
      throw conflict('This backup does not hold settings, roles and channels');
    }
    const { accountId } = address.server;
    const by = { accountId, mode: modeFor(snapshot), waits: 'request' } as const;
    const how = { withPeople };
    return new EncodedAnswer(
      await dependencies.aside.run(writeDocumentTask, { snapshot }, how, by),
    );
  });

/** An answer ends with the image that passes this. */
const answerBytes = 1024 * 1024;

export const readBackupImages = (
  dependencies: ContentsDependencies,
  address: BackupAddress,
  after: string | undefined,
) =>
  readStructure(dependencies, address, async (snapshot, read) => {
    const names = [...new Set(findStoredObjects(snapshot).map(nameOfImage))].sort();
    const left = names.filter((name) => after === undefined || name > after);
    const images: { name: string; data: string }[] = [];
    let bytes = 0;
    for (const name of left) {
      if (bytes >= answerBytes) break;
      const image = await read(name.slice(0, name.indexOf('.')));
      images.push({ name, data: Buffer.from(image).toString('base64') });
      bytes += image.length;
    }
    const last = images.at(-1)?.name ?? null;
    return { images, next: images.length < left.length ? last : null };
  });
