import { formatValue } from '../output/format.ts';
import type { Output } from '../output/output.ts';
import { clean, type Style } from '../output/style.ts';
import { type Branch, formatTree } from '../output/tree.ts';
import type { Change, Comparison } from './compare.ts';
import { groupBy } from './group-by.ts';

/** The differences as a tree, by section. */
export const formatChanges = (
  { changes, notes }: Comparison,
  { style }: Pick<Output, 'style'>,
): string => {
  const sections = groupBy(changes, ({ section }) => section);
  const branches = [...sections].map(
    ([section, some]): Branch => ({
      text: style.bold(section),
      branches: some.map((change) => branchOf(change, style)),
    }),
  );
  const summary = changes.length === 0 ? ['No differences.'] : [countLine(changes)];
  const remarks = notes.map((text) => style.dim(`note: ${clean(text)}`));
  return [...formatTree(branches, style), ...summary, ...remarks].join('\n');
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

const branchOf = ({ kind, name, fields = [] }: Change, style: Style): Branch => {
  const signs = {
    added: style.green('+'),
    removed: style.red('-'),
    changed: style.yellow('~'),
    reordered: style.yellow('↕'),
  };
  return {
    text: `${signs[kind]} ${clean(name ?? (kind === 'reordered' ? 'order' : 'settings'))}`,
    branches: fields.map(({ field, from, to }) => ({
      text: `${clean(field)}: ${formatValue(field, from)} → ${formatValue(field, to)}`,
    })),
  };
};
