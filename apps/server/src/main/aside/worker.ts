import { parentPort } from 'node:worker_threads';
import { describeContentsTask } from '../../features/backups/contents/describe-contents-task.ts';
import { importDocumentTask } from '../../features/backups/document/import-document-task.ts';
import { writeDocumentTask } from '../../features/backups/document/write-document-task.ts';
import { planRestoreTask } from '../../features/restores/plan/plan-restore-task.ts';
import { testRestoreTask } from '../../features/restores/verify/test-restore-task.ts';
import { type AsideMessage, answerAside } from '../../kernel/aside.ts';

const tasks = [
  describeContentsTask,
  importDocumentTask,
  writeDocumentTask,
  planRestoreTask,
  testRestoreTask,
];

/** The worker thread: it knows no settings, no database and no platform, only pure functions. */
parentPort?.on('message', async (message: AsideMessage) => {
  const answer = await answerAside(tasks, message);
  const bytes = 'output' in answer && answer.output instanceof Uint8Array && answer.output.buffer;
  // Handed over instead of copied.
  parentPort?.postMessage(answer, bytes instanceof ArrayBuffer ? [bytes] : []);
});
