import type { Output as OutputOf } from '@holdfast/sdk';
import type { JobKind } from '@holdfast/sdk/catalog';
import type { Context } from '../context.ts';
import { byteSize } from '../output/format.ts';
import { clean } from '../output/style.ts';
import { heading } from '../output/table.ts';
import { wrap } from '../output/wrap.ts';

type Backup = OutputOf<'getBackup'>;
type Restore = OutputOf<'getRestore'>;
type Pull = OutputOf<'getPull'>;
export type Records = { backup: Backup; restore: Restore; pull: Pull };

/** The outcome of a job in a few lines. */
export const summarize = <Kind extends JobKind>(
  kind: Kind,
  record: Records[Kind],
  { output: { style, columns }, lineFor }: Pick<Context, 'output' | 'lineFor'>,
): string => {
  const state = record.status === 'completed' ? style.green : style.yellow;
  const [first, ...others] = lines[kind](record, lineFor);
  return [
    `${state(`${heading(kind).toLowerCase()} ${record.status}`)}${first ? `: ${first}` : ''}`,
    ...others,
    ...record.warnings.map((text) => `${style.yellow('warning:')} ${clean(text)}`),
    ...('notes' in record ? record.notes : []).map((text) => style.dim(`note: ${clean(text)}`)),
  ]
    .map((line) => wrap(line, columns))
    .join('\n');
};

const backupLines = ({ id, counts, sizeBytes }: Backup): string[] => [
  `${counted(counts)}; ${byteSize(sizeBytes)}`,
  `id ${id}`,
];

const restoreLines = (
  { steps, serverId, safetyBackupId }: Restore,
  lineFor: Context['lineFor'],
): string[] => [
  `${steps.done} of ${steps.total} steps${steps.failed > 0 ? `, ${steps.failed} failed` : ''}`,
  ...(safetyBackupId === null
    ? []
    : [`Undo it: ${lineFor(`restore ${serverId} ${safetyBackupId}`)}`]),
];

const pullLines = ({ total, results }: Pull): string[] => [
  total === 0 ? 'nobody to bring back' : counted(results),
];

/** A record's lines are made by the function of its kind. */
const lines: {
  [Kind in JobKind]: (record: Records[Kind], lineFor: Context['lineFor']) => string[];
} = {
  backup: backupLines,
  restore: restoreLines,
  pull: pullLines,
};

/** What there is any of: `12 roles, 34 channels`. */
const counted = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${heading(name).toLowerCase()}`)
    .join(', ') || 'nothing';
