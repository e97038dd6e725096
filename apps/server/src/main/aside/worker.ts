import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { describeContentsTask } from '../../features/backups/contents/describe-contents-task.ts';
import { importDocumentTask } from '../../features/backups/document/import-document-task.ts';
import { writeDocumentTask } from '../../features/backups/document/write-document-task.ts';
import { planCopyTask } from '../../features/drills/copy/plan-copy-task.ts';
import { makeTemplateTask } from '../../features/marketplace/templates/make-template-task.ts';
import {
  planRestoreTask,
  previewRestoreTask,
} from '../../features/restores/plan/plan-restore-task.ts';
import { planUndoTask, previewUndoTask } from '../../features/restores/undo/plan-undo-task.ts';
import { checkResultTask } from '../../features/restores/verify/check-result-task.ts';
import { testRestoreTask } from '../../features/restores/verify/test-restore-task.ts';
import { type AsideMessage, answerAside } from '../../kernel/aside.ts';
import { buffersOf, type Packed } from '../../kernel/hand-over.ts';

const tasks = [
  describeContentsTask,
  importDocumentTask,
  writeDocumentTask,
  makeTemplateTask,
  planCopyTask,
  previewRestoreTask,
  planRestoreTask,
  previewUndoTask,
  planUndoTask,
  checkResultTask,
  testRestoreTask,
];

/** Of an answer that is nothing but bytes these too. */
const buffersOfAnswer = (output: Packed): ArrayBuffer[] => {
  const bytes = 'value' in output && output.value instanceof Uint8Array && output.value.buffer;
  return bytes instanceof ArrayBuffer ? [bytes] : buffersOf(output);
};

// On Linux that is the priority of this thread alone: requests go before jobs.
const lowPriority = 10;
if (workerData === 'job' && process.platform === 'linux') setPriority(lowPriority);

/** The worker thread: it knows no settings, no database and no platform, only pure functions. */
parentPort?.on('message', async (message: AsideMessage) => {
  const answer = await answerAside(tasks, message);
  parentPort?.postMessage(answer, 'output' in answer ? buffersOfAnswer(answer.output) : []);
});
