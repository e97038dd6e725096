import type { BackupContents } from '../../../queries/records.ts';

export type Branch = BackupContents['channels'][number];
export type Leaf = Branch['children'][number];
export type Role = BackupContents['roles'][number];

const matches = (text: string, search: string): boolean =>
  text.toLocaleLowerCase().includes(search.trim().toLocaleLowerCase());

/** A category whose own name matches is shown whole; else with its channels that match. */
export const findChannels = (branches: readonly Branch[], search: string): Branch[] => {
  if (search.trim() === '') return [...branches];
  return branches.flatMap((branch) => {
    if (matches(branch.name, search)) return [branch];
    const children = branch.children.filter(({ name }) => matches(name, search));
    return children.length > 0 ? [{ ...branch, children }] : [];
  });
};

export const findRoles = (roles: readonly Role[], search: string): Role[] =>
  roles.filter(({ name }) => matches(name, search));

export const countChannels = (branches: readonly Branch[]): number =>
  branches.reduce((sum, { children }) => sum + 1 + children.length, 0);
