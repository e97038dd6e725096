import { dirname, join, normalize } from 'node:path';

/**
 * The plan of the house, lowest floor first. A file may import its own room and what lies on lower
 * floors: never up, and never sideways into another room of its own floor.
 */
const serverFloors = [
  ['kernel'],
  ['db'],
  ['http', 'queue', 'platform', 'integrations'],
  ['features/plans', 'features/audit'],
  ['features/accounts'],
  ['features/keys', 'features/sessions', 'features/bots', 'features/blacklist'],
  ['features/servers'],
  ['features/rules'],
  [
    'features/firewall',
    'features/whitelist',
    'features/members',
    'features/vault',
    'features/backups',
  ],
  ['features/verification', 'features/pulls', 'features/restores'],
  ['features/billing', 'features/analytics', 'features/me'],
  ['features/overview', 'features/marketplace'],
  ['features/account-deletion'],
  ['main'],
];

/** What each building may use of the others, and of the packages outside. */
const buildings: Record<string, { workspaces: string[]; packages?: string[] }> = {
  'packages/contract': { workspaces: [], packages: ['zod', 'zod-openapi'] },
  'packages/sdk': { workspaces: ['@holdfast/contract'] },
  'packages/simulator': { workspaces: [] },
  // Of the dashboard it knows only how to have it built.
  'apps/server': { workspaces: ['@holdfast/contract', '@holdfast/dashboard/build'] },
  'apps/dashboard': { workspaces: ['@holdfast/contract', '@holdfast/sdk'] },
  'apps/cli': { workspaces: ['@holdfast/sdk'] },
};

export type SourceFile = { path: string; text: string };

/** Everything in a file that goes against the plan, in words. */
export const faultsOf = (file: SourceFile): string[] => [
  ...importsOf(file).flatMap((target) => importFaults(file.path, target)),
  ...sqlFaults(file),
];

const importsOf = ({ text }: SourceFile): string[] => {
  const pattern = /(?:\bfrom|\bimport)\s*\(?\s*(['"`])([^'"`]+)\1/g;
  return [...withoutComments(text).matchAll(pattern)].map(([, , target = '']) => target);
};

const importFaults = (path: string, target: string): string[] => {
  const building = buildingOf(path);
  const rules = building === undefined ? undefined : buildings[building];
  if (!building || !rules) return [`${path} stands in no building of the plan`];
  if (target.startsWith('.')) {
    return relativeFaults(path, normalize(join(dirname(path), target)), building);
  }
  if (target.startsWith('@holdfast/') && !rules.workspaces.includes(target)) {
    return [`${path} imports ${target}, which ${building} may not see`];
  }
  const isForbidden = rules.packages && !target.startsWith('@holdfast/');
  return isForbidden && !rules.packages?.includes(target)
    ? [`${path} imports ${target}: ${building} stands on ${rules.packages?.join(' and ')} alone`]
    : [];
};

const relativeFaults = (path: string, target: string, building: string): string[] => {
  if (!target.startsWith(`${building}/`))
    return [`${path} reaches into another building: ${target}`];
  if (building !== 'apps/server' || target.endsWith('.json')) return [];
  const from = roomOf(path);
  const to = roomOf(target);
  if (!from || !to) return [`${path} imports ${target}: one of them stands in no room of the plan`];
  if (from === to || floorOf(to) < floorOf(from)) return [];
  const direction = floorOf(to) === floorOf(from) ? 'sideways' : 'upwards';
  return [`${path} imports ${direction}: ${from} may not see ${to}`];
};

const buildingOf = (path: string): string | undefined =>
  Object.keys(buildings).find((building) => path.startsWith(`${building}/`));

const rooms = serverFloors.flat();
const roomOf = (path: string): string | undefined =>
  rooms.find((room) => path.startsWith(`apps/server/src/${room}/`));
const floorOf = (room: string): number => serverFloors.findIndex((floor) => floor.includes(room));

const sqlPatterns = [
  /\b(?:sql|client|tx|db)\s*(?:<[^>`]*>)?`/,
  /\b(?:db|tx)\s*\.\s*(?:select\w*|insert|update|delete|execute)\s*\(/,
  /['"`]\s*(?:select\s.+\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from|create\s+table)\s/i,
];

const sqlFaults = ({ path, text }: SourceFile): string[] => {
  if (/\/(queries|table)\.ts$/.test(path)) return [];
  const found = sqlPatterns.map((pattern) => withoutComments(text).match(pattern)?.[0]);
  return found
    .filter((match) => match !== undefined)
    .map(
      (match) =>
        `${path} holds SQL (${match.trim()}), which stands only in queries.ts and table.ts`,
    );
};

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
