import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { bundleDashboard, packagedBuild } from '@holdfast/dashboard/build';
import { productionModules, workspaces } from './modules.ts';

/** Beside the workspaces' sources: what they read while they run, and what an operator reads. */
const files = [
  'package.json',
  'tsconfig.json',
  'LICENSE',
  'CHANGELOG.md',
  '.env.example',
  'apps/server/migrations',
  'apps/dashboard/package.json',
  'apps/dashboard/build.ts',
  'apps/dashboard/build-styles.ts',
  'docs',
];

/** Programs for the operator, files to install them with and to watch them by. */
const movedFiles = {
  'deploy/bin': 'bin',
  'deploy/systemd': 'systemd',
  'deploy/prometheus': 'prometheus',
  'deploy/grafana': 'grafana',
};

/** Of a module: types, maps and pages for people, a second name of Bun, and IP data in other forms. */
const unusedInModules =
  /(\.d\.[cm]?ts|\.map|\.md|\/bunx\.exe|\/asn-ipv[46]-num\.csv|\/iptoasn-country-ipv[46]\.mmdb)$/;

const isTestFile = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** Copies all that production needs from a checkout with installed modules into an empty folder. */
export const copyContents = async (root: string, target: string): Promise<void> => {
  for (const path of files) await copy(join(root, path), join(target, path));
  for (const [from, to] of Object.entries(movedFiles)) {
    await copy(join(root, from), join(target, to));
  }
  for (const workspace of workspaces) {
    for (const part of ['package.json', 'src']) {
      await copy(join(root, workspace, part), join(target, workspace, part), isTestFile);
    }
  }
  for (const module of productionModules(root)) await copyModule(root, target, module);
  await linkWorkspaces(target);
  await symlink('../bun/bin/bun.exe', join(await folderOf(target, 'node_modules/.bin'), 'bun'));
  const build = JSON.stringify(await bundleDashboard());
  await writeFile(join(target, relative(root, packagedBuild)), build);
};

const copy = async (
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<void> => {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, filter: (path) => !isLeftOut(path) });
};

/** Modules below a module belong to it and come by themselves, if they are needed. */
const copyModule = (root: string, target: string, module: string): Promise<void> => {
  const from = join(root, module);
  const nested = join(from, 'node_modules');
  return copy(from, join(target, module), (path) => path === nested || unusedInModules.test(path));
};

/** As npm links them. The dashboard is imported by its name as well. */
const linkWorkspaces = async (target: string): Promise<void> => {
  const folder = await folderOf(target, 'node_modules/@holdfast');
  for (const workspace of [...workspaces, 'apps/dashboard']) {
    await symlink(join('../..', workspace), join(folder, basename(workspace)));
  }
};

const folderOf = async (target: string, path: string): Promise<string> => {
  const folder = join(target, path);
  await mkdir(folder, { recursive: true });
  return folder;
};

/** What lies in a folder and below it, in bytes; links count nothing. */
export const sizeOf = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) => Bun.file(join(entry.parentPath, entry.name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
};
