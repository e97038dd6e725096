import type { Style } from './style.ts';

export type Branch = { text: string; branches?: Branch[] };

/** Lines with the branches drawn. */
export const formatTree = (branches: Branch[], style: Style, prefix = ''): string[] =>
  branches.flatMap(({ text, branches: inner = [] }, index) => {
    const isLast = index === branches.length - 1;
    return [
      `${style.dim(`${prefix}${isLast ? '└─' : '├─'}`)} ${text}`,
      ...formatTree(inner, style, `${prefix}${isLast ? '   ' : '│  '}`),
    ];
  });
