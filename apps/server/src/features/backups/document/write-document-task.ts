import { communityEndpoints } from '@holdfast/contract';
import { encodeAnswer } from '../../../http/endpoint/answer.ts';
import type { AsideTask } from '../../../kernel/aside.ts';
import { type Core, writeDocument } from './write-document.ts';

export const writeDocumentTask: AsideTask<
  { snapshot: Core },
  { withPeople: boolean },
  Uint8Array<ArrayBuffer>
> = {
  name: 'backups.writeDocument',
  run: ({ snapshot }, { withPeople }) =>
    encodeAnswer(communityEndpoints.getBackupDocument, writeDocument(snapshot, withPeople)),
};
