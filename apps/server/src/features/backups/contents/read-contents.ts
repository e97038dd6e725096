import { EncodedAnswer } from '../../../http/endpoint/encoded-answer.ts';
import { readErased } from '../erasure/erasures.ts';
import { noneErased, redactSnapshot } from '../erasure/redact.ts';
import { savedAtOf } from '../queries.ts';
import { modeFor } from '../snapshot/large.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import type { SectionName } from '../snapshot/snapshot.ts';
import { limitToTemplate } from '../snapshot/template.ts';
import { describeContentsTask } from './describe-contents-task.ts';
import { findStoredObjects, readDataUrls } from './inline-objects.ts';
import { type BackupAddress, type ContentsDependencies, readBackup } from './read-backup.ts';

const structure = ['settings', 'roles', 'channels'] as const satisfies SectionName[];

/** A guild has up to 250 pictures of roles besides its own. */
const pictureLimit = { eachBytes: 256 * 1024, allBytes: 4 * 1024 * 1024 };

/** The structure of a guild in a backup of the server. */
export const readContents = (
  dependencies: ContentsDependencies,
  address: BackupAddress,
): Promise<EncodedAnswer> =>
  readBackup(dependencies, address, async (backup, read) => {
    const { db, blobs, ring } = dependencies;
    const { accountId } = address.server;
    const stored = await readSnapshot(read, backup.checksum, structure, noneErased);
    const source = { accountId, savedAt: savedAtOf(backup) };
    // After the objects: people who were erased while they were read are not in it either.
    const redacted = await redactSnapshot(stored, await readErased(db, ring, source));
    const snapshot = backup.kind === 'MARKETPLACE' ? await limitToTemplate(redacted) : redacted;
    const pictures = findStoredObjects([snapshot.settings, snapshot.roles]).filter(isPicture);
    const urls = await readDataUrls({ db, blobs, accountId }, pictures, pictureLimit);
    const by = { accountId, mode: modeFor(snapshot), waits: 'request' } as const;
    const how = { pictures: urls };
    return new EncodedAnswer(
      await dependencies.aside.run(describeContentsTask, { snapshot }, how, by),
    );
  });

const isPicture = ({ contentType }: { contentType: string }) => contentType.startsWith('image/');
