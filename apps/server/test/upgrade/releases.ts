import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../harness/running-service.ts';

/** The sources of one version, ready to be started. */
export type Sources = { name: string; folder: string };

const root = join(import.meta.dir, '../../../..');
const workspaces = ['apps', 'packages'];

export const thisVersion: Sources = { name: 'this version', folder: root };

/** The sources at a Git ref, in a folder of their own. */
export const checkOut = async (ref: string): Promise<Sources> => {
  const folder = await makeFolder();
  const archive = join(folder, 'sources.tar');
  await run(['git', 'archive', '--output', archive, ref], root);
  await run(['tar', '-xf', archive], folder);
  if (await fitsOurModules(folder)) await linkModules(folder);
  else await run(['npm', 'ci', '--no-audit', '--no-fund'], folder);
  return { name: ref, folder };
};

/** This version with an expand step on top, as the next release might have. */
export const nextRelease = async (): Promise<Sources> => {
  const folder = await makeFolder();
  const isSource = (path: string) => !/\/(?:node_modules|screenshots|recordings)$/.test(path);
  for (const name of [
    ...workspaces,
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'docs',
  ]) {
    await cp(join(root, name), join(folder, name), { recursive: true, filter: isSource });
  }
  await linkModules(folder);
  await plantStep(join(folder, 'apps/server/migrations'));
  return { name: 'next release', folder };
};

const plantStep = async (migrations: string): Promise<void> => {
  const tag = '9999_next-release';
  const step = [
    '-- step: expand',
    `ALTER TABLE "accounts" ADD COLUMN "shoe_size" integer DEFAULT 42 NOT NULL;`,
    `--> statement-breakpoint`,
    `CREATE TABLE "shoes" ("id" uuid PRIMARY KEY NOT NULL, "size" integer NOT NULL);`,
  ];
  await writeFile(join(migrations, `${tag}.sql`), step.join('\n'));
  let lastMigration = '';
  await changeJson(join(migrations, 'meta/_journal.json'), ({ entries }) => {
    const last = entries.at(-1);
    lastMigration = last.tag;
    entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag });
  });
  await changeJson(join(migrations, 'releases.json'), (releases) => {
    const last = releases.at(-1);
    releases.push({ ...last, generation: last.generation + 1, version: 'next' });
    last.lastMigration = lastMigration;
  });
};

// biome-ignore lint/suspicious/noExplicitAny: two files of our own, whose shapes the readers check
const changeJson = async (file: string, change: (content: any) => void): Promise<void> => {
  const content = JSON.parse(await readFile(file, 'utf8'));
  change(content);
  await writeFile(file, JSON.stringify(content));
};

/** Whether all packages of that version are installed here in the same version. */
const fitsOurModules = async (folder: string): Promise<boolean> => {
  const [theirs, ours] = await Promise.all([folder, root].map(readLock));
  return Object.entries(theirs ?? {}).every(([path, entry]) => {
    const isOwn = path === '' || workspaces.some((workspace) => path.startsWith(`${workspace}/`));
    return (isOwn && !path.includes('node_modules')) || ours?.[path]?.version === entry.version;
  });
};

type Lock = Record<string, { version?: string }>;
const readLock = async (folder: string): Promise<Lock> =>
  JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')).packages;

/** Packages of others are ours; those of the repository are that version's own. */
const linkModules = async (folder: string): Promise<void> => {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@holdfast'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === '@holdfast') continue;
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  for (const workspace of workspaces) {
    for (const name of await readdir(join(folder, workspace))) {
      await symlink(join(folder, workspace, name), join(modules, '@holdfast', name));
      await linkNested(join(workspace, name), folder);
    }
  }
};

const linkNested = async (workspace: string, folder: string): Promise<void> => {
  const ours = join(root, workspace, 'node_modules');
  const isThere = await readdir(ours).then(
    () => true,
    () => false,
  );
  if (isThere) await symlink(ours, join(folder, workspace, 'node_modules'));
};

const run = async (command: string[], cwd: string): Promise<void> => {
  const child = Bun.spawn(command, { cwd, stdout: 'ignore', stderr: 'pipe' });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${said}`);
};
