import type { Output as OutputOf } from '@holdfast/sdk';
import { duration } from './format.ts';
import type { Output } from './output.ts';
import { describeChange, type NameOf } from './plan-changes.ts';
import { clean, type Style } from './style.ts';
import { cut } from './table.ts';
import { type Branch, formatTree } from './tree.ts';
import { wrap } from './wrap.ts';

export type Plan = OutputOf<'planRestore'>;

/** More would push what matters off the screen; `--json` has all. */
const mostShown = 20;

type PlanView = Pick<Output, 'style' | 'columns'> & { nameOf: NameOf };

/** What a restore would create, change and delete, as a tree. */
export const formatPlan = (plan: Plan, { style, columns, nameOf }: PlanView) => {
  const changes = plan.create.length + plan.update.length + plan.delete.length;
  const branches: Branch[] = [
    section('create', style.green, plan.create.map(namedBranch)),
    section(
      'change',
      style.yellow,
      plan.update.map((update) => updateBranch(update, nameOf)),
    ),
    section('delete', style.red, plan.delete.map(namedBranch)),
    { text: `keep ${plan.keep}` },
  ];
  const lines = formatTree(branches, style).map((line) => cutPainted(line, columns));
  const cost =
    changes === 0
      ? 'Nothing to do: the server is as in the backup.'
      : `About ${duration(plan.estimatedSeconds)}, ${plan.calls} requests to the platform.`;
  return [...lines, cost, ...remarks(plan, style).map((line) => wrap(line, columns))].join('\n');
};

const section = (act: string, paint: (text: string) => string, branches: Branch[]): Branch => ({
  text: branches.length === 0 ? `${act} 0` : paint(`${act} ${branches.length}`),
  branches:
    branches.length > mostShown
      ? [...branches.slice(0, mostShown), { text: `… and ${branches.length - mostShown} more` }]
      : branches,
});

const namedBranch = ({ type, name, reason }: Plan['create'][number]): Branch => ({
  text: clean(`${type} ${name}${reason ? `: ${reason}` : ''}`),
});

/** A server has one of each, whose name says what it is. */
const single = ['settings', 'welcomeScreen', 'onboarding'];

const updateBranch = ({ type, name, changes }: Plan['update'][number], nameOf: NameOf): Branch => ({
  text: clean(single.includes(type) ? name : `${type} ${name}`),
  branches: changes.flatMap((change) => describeChange(change, nameOf)).map((text) => ({ text })),
});

const remarks = ({ warnings, notes }: Plan, style: Style): string[] => [
  ...warnings.map((text) => `${style.yellow('warning:')} ${clean(text)}`),
  ...notes.map((text) => style.dim(`note: ${clean(text)}`)),
];

/** A painted line is left alone: only lines of names are long, and those are plain. */
const cutPainted = (line: string, columns: number): string =>
  line.includes('\u001b') ? cutAfterPaint(line, columns) : cut(line, columns);

const cutAfterPaint = (line: string, columns: number): string => {
  const end = line.lastIndexOf('\u001b[0m') + '\u001b[0m'.length;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours
  const shownBefore = line.slice(0, end).replace(/\u001b\[\d+m/g, '').length;
  return line.slice(0, end) + cut(line.slice(end), Math.max(4, columns - shownBefore));
};
