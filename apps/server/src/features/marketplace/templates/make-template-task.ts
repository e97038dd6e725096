import type { AsideTask } from '../../../kernel/aside.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { type TestRestoreResult, testRestore } from '../../restores/verify/test-restore.ts';
import { stripSnapshot, type TemplateSnapshot } from './strip-snapshot.ts';

/** A template, and whether it comes back whole. */
export const makeTemplateTask: AsideTask<
  { snapshot: Snapshot },
  null,
  { template: TemplateSnapshot; tested: TestRestoreResult }
> = {
  name: 'marketplace.makeTemplate',
  async run({ snapshot }) {
    const template = stripSnapshot(snapshot);
    return { template, tested: await testRestore(template) };
  },
};
