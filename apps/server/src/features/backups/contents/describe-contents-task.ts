import { contentsEndpoints } from '@holdfast/contract';
import { encodeAnswer } from '../../../http/endpoint/answer.ts';
import type { AsideTask } from '../../../kernel/aside.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { describeContents } from './describe-contents.ts';
import type { DataUrls } from './inline-objects.ts';

export const describeContentsTask: AsideTask<
  { snapshot: Snapshot },
  { pictures: DataUrls },
  Uint8Array<ArrayBuffer>
> = {
  name: 'backups.describeContents',
  run: ({ snapshot }, { pictures }) =>
    encodeAnswer(contentsEndpoints.getBackupContents, describeContents(snapshot, pictures)),
};
