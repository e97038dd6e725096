import { describeNote } from '../plan/note.ts';
import type { findRestore } from '../queries/restores.ts';
import { progressOf } from '../rules.ts';
import { describeWarning } from './stored-warning.ts';

/** A restore as the contract has it. */
export const describeRestore = (restore: NonNullable<Awaited<ReturnType<typeof findRestore>>>) => ({
  ...restore,
  warnings: restore.warnings.map(describeWarning),
  notes: restore.notes.map((note) => describeNote(note, isOver(restore))),
  progress: progressOf(restore),
  steps: {
    total: restore.stepsTotal,
    done: restore.stepsDone,
    failed: restore.stepsFailed,
  },
});

/** Its steps are behind it: what was planned has happened. */
const isOver = ({ status }: { status: string }): boolean =>
  status === 'completed' || status === 'partial';
