import type { AsideTask } from '../../../kernel/aside.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { type TestRestoreResult, testRestore } from './test-restore.ts';

export const testRestoreTask: AsideTask<{ snapshot: Snapshot }, null, TestRestoreResult> = {
  name: 'restores.test',
  run: ({ snapshot }) => testRestore(snapshot),
};
