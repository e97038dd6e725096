import { formatValue } from '../output/format.ts';
import type { Output } from '../output/output.ts';
import { clean, type Style } from '../output/style.ts';
import { cut } from '../output/table.ts';
import { textWidth } from '../output/text-width.ts';
import { type Branch, formatTree } from '../output/tree.ts';
import { wrap } from '../output/wrap.ts';
import type { Change, Comparison } from './compare.ts';
import { groupBy } from './group-by.ts';

/** The differences as a tree, by section. */
export const formatChanges = (
  { changes, unread, notes }: Comparison,
  { style, columns }: Pick<Output, 'style' | 'columns'>,
): string => {
  const sections = groupBy(changes, ({ section }) => section);
  const branches = [...sections].map(
    ([section, some]): Branch => ({
      text: style.bold(section),
      branches: some.map((change) => branchOf(change, style, columns)),
    }),
  );
  const unknown = unread.map((section) => ({
    text: `${style.yellow('?')} ${section}: not read, so not compared`,
  }));
  const none = unread.length === 0 ? 'No differences.' : 'No differences in what could be read.';
  const summary = changes.length === 0 ? none : countLine(changes);
  const remarks = notes.map((text) => style.dim(`note: ${clean(text)}`));
  return [
    ...formatTree([...branches, ...unknown], style),
    ...[summary, ...remarks].map((line) => wrap(line, columns)),
  ].join('\n');
};

export const countLine = (changes: Change[]): string => {
  const count = (kind: Change['kind'], word: string) => {
    const number = changes.filter((change) => change.kind === kind).length;
    return number === 0 ? [] : [`${number} ${word}`];
  };
  const parts = [
    ...[...count('added', 'to add'), ...count('changed', 'to change')],
    ...[...count('reordered', 'to order'), ...count('removed', 'to remove')],
  ];
  return `${changes.length} difference${changes.length === 1 ? '' : 's'}: ${parts.join(', ')}`;
};

/** What a level of the tree takes of a line. */
const levelWidth = 3;

const branchOf = ({ kind, name, fields = [] }: Change, style: Style, columns: number): Branch => {
  const signs = {
    added: style.green('+'),
    removed: style.red('-'),
    changed: style.yellow('~'),
    reordered: style.yellow('↕'),
  };
  const shown = clean(name ?? (kind === 'reordered' ? 'order' : 'settings'));
  return {
    text: `${signs[kind]} ${cut(shown, columns - 2 * levelWidth - 2)}`,
    branches: fields.map((field) => fieldBranch(field, columns - 3 * levelWidth)),
  };
};

/** On one line where it fits, else below each other. */
const fieldBranch = (
  { field, from, to }: NonNullable<Change['fields']>[number],
  columns: number,
): Branch => {
  const [before, after] = [formatValue(field, from), formatValue(field, to)];
  const text = `${clean(field)}: ${before} → ${after}`;
  if (textWidth(text) <= columns) return { text };
  const room = columns - levelWidth - 2;
  return {
    text: `${clean(field)}:`,
    branches: [{ text: `- ${cut(before, room)}` }, { text: `+ ${cut(after, room)}` }],
  };
};
