import { importsOf, resolveImport, type SourceFile } from './source-file.ts';

/**
 * The layers of the server, lowest first. A file imports its own module and lower layers: never a
 * higher layer, and never another module of its own layer.
 */
const serverLayers = [
  ['kernel'],
  ['db'],
  ['http', 'queue', 'platform', 'integrations'],
  ['features/plans', 'features/audit'],
  ['features/accounts'],
  ['features/alerts'],
  ['features/keys', 'features/sessions', 'features/bots', 'features/blacklist'],
  ['features/servers', 'features/device-login'],
  ['features/rules'],
  [
    'features/firewall',
    'features/whitelist',
    'features/members',
    'features/vault',
    'features/backups',
    'features/gateway',
  ],
  ['features/uploads'],
  ['features/panels'],
  ['features/verification', 'features/pulls', 'features/restores'],
  ['features/mass-verifications'],
  [
    'features/billing',
    'features/analytics',
    'features/health',
    'features/rejoins',
    'features/protection',
  ],
  [
    'features/overview',
    'features/marketplace',
    'features/drills',
    'features/me',
    'features/people',
  ],
  ['features/account-deletion'],
  ['main'],
];

/** What each workspace may import of the others, and of packages from outside. */
const workspaces: Record<string, { workspaces: string[]; packages?: string[] }> = {
  'packages/contract': { workspaces: [], packages: ['zod', 'zod-openapi'] },
  'packages/sdk': { workspaces: ['@holdfast/contract'] },
  'packages/simulator': { workspaces: [] },
  'packages/mcp': {
    workspaces: ['@holdfast/sdk', '@holdfast/sdk/catalog'],
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio', 'zod'],
  },
  // The server knows of the dashboard only how to build it. Assistants call it through the SDK.
  'apps/server': {
    workspaces: [
      ...['@holdfast/contract', '@holdfast/dashboard/build'],
      ...['@holdfast/mcp', '@holdfast/sdk'],
    ],
  },
  'apps/dashboard': {
    workspaces: [
      '@holdfast/contract',
      '@holdfast/contract/checks',
      '@holdfast/sdk',
      '@holdfast/sdk/dashboard',
    ],
  },
  'apps/cli': { workspaces: ['@holdfast/mcp', '@holdfast/sdk', '@holdfast/sdk/catalog'] },
};

const modules = serverLayers.flat();

/** The module of the server that a file belongs to, such as `features/bots` or `http`. */
export const moduleOf = (path: string): string | undefined =>
  modules.find((module) => path.startsWith(`apps/server/src/${module}/`));

const layerOf = (module: string): number =>
  serverLayers.findIndex((layer) => layer.includes(module));

/** Imports that the layers do not allow. */
export const findLayerFaults = (file: SourceFile): string[] =>
  importsOf(file).flatMap(({ specifier }) => importFaults(file, specifier));

const importFaults = (file: SourceFile, specifier: string): string[] => {
  const { path } = file;
  const workspace = Object.keys(workspaces).find((name) => path.startsWith(`${name}/`));
  const allowed = workspace === undefined ? undefined : workspaces[workspace];
  if (!workspace || !allowed) return [`${path} belongs to no workspace of the architecture`];
  const target = resolveImport(file, specifier);
  if (target !== undefined) return relativeFaults(path, target, workspace);
  if (specifier.startsWith('@holdfast/')) {
    return allowed.workspaces.includes(specifier)
      ? []
      : [`${path} imports ${specifier}, which ${workspace} may not use`];
  }
  return allowed.packages && !allowed.packages.includes(specifier)
    ? [`${path} imports ${specifier}: ${workspace} may use only ${allowed.packages.join(' and ')}`]
    : [];
};

const relativeFaults = (path: string, target: string, workspace: string): string[] => {
  if (!target.startsWith(`${workspace}/`)) return [`${path} imports another workspace: ${target}`];
  if (workspace !== 'apps/server' || target.endsWith('.json')) return [];
  const [from, to] = [moduleOf(path), moduleOf(target)];
  if (!from || !to) return [`${path} imports ${target}: one of them belongs to no layer`];
  if (from === to || layerOf(to) < layerOf(from)) return [];
  const direction = layerOf(to) === layerOf(from) ? 'sideways' : 'upwards';
  return [`${path} imports ${direction}: ${from} may not use ${to}`];
};
