import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const root = import.meta.dir;
const repository = join(root, '../..');
const dist = join(root, 'dist');

/** What the bundle is made of: when any of it changes, it is made anew. */
const sources = [
  join(root, 'src'),
  join(root, 'build.ts'),
  join(repository, 'packages/sdk/src'),
  join(repository, 'packages/contract/src'),
  join(repository, 'package-lock.json'),
];

export type BuiltFile = { name: string; type: string; text: string };

export type DashboardBuild = {
  /** The names of the first script and of the style. */
  script: string;
  style: string;
  files: BuiltFile[];
};

/** The build of today's sources: the one that was kept, or a new one, which is kept then. */
export const loadDashboard = async (): Promise<DashboardBuild> => {
  const folder = join(dist, await keyOfSources());
  const kept = await readKept(folder);
  if (kept) return kept;
  const build = await bundleDashboard();
  await keep(folder, build);
  return build;
};

export const bundleDashboard = async (): Promise<DashboardBuild> => {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'src/main.tsx')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    naming: {
      entry: '[name]-[hash].[ext]',
      chunk: '[name]-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const files = await Promise.all(
    outputs.map(async (output) => ({
      name: output.path.replace(/^.*\//, ''),
      type: output.path.endsWith('.css') ? 'text/css' : 'text/javascript',
      text: await output.text(),
    })),
  );
  const entry = outputs.findIndex(({ kind }) => kind === 'entry-point');
  const script = files[entry]?.name;
  const style = joinStyles(files.filter(({ type }) => type === 'text/css'));
  if (!script || style.text === '') throw new Error('The dashboard could not be built');
  const scripts = files.filter(({ type }) => type !== 'text/css');
  return { script, style: style.name, files: [...scripts, style] };
};

/** One for all pages: a page that is loaded later would come without its own. The first page's leads. */
const joinStyles = (styles: BuiltFile[]): BuiltFile => {
  const isFirst = ({ name }: BuiltFile) => name.startsWith('main-');
  const named = styles.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const ordered = [...named.filter(isFirst), ...named.filter((style) => !isFirst(style))];
  const text = ordered.map((style) => style.text).join('\n');
  return { name: `style-${Bun.hash(text).toString(36)}.css`, type: 'text/css', text };
};

const keyOfSources = async (): Promise<string> => {
  const hash = new Bun.CryptoHasher('sha256');
  // The names of style classes are made from paths as seen from where the process was started.
  hash.update(relative(repository, process.cwd()));
  for (const path of (await Promise.all(sources.map(filesIn))).flat().sort()) {
    hash.update(path.slice(repository.length)).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
};

const filesIn = async (path: string): Promise<string[]> => {
  if (/\.\w+$/.test(path)) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name));
};

const readKept = async (folder: string): Promise<DashboardBuild | undefined> => {
  const file = Bun.file(join(folder, 'build.json'));
  // Another process may remove it at any moment: see `keep`.
  return (await file.exists()) ? file.json().catch(() => undefined) : undefined;
};

/** Whole or not at all, since several processes may start at once; where nothing can be kept, none is. */
const keep = async (folder: string, build: DashboardBuild): Promise<void> => {
  const scratch = `${folder}.${process.pid}`;
  try {
    await mkdir(scratch, { recursive: true });
    await writeFile(join(scratch, 'build.json'), JSON.stringify(build));
    await rename(scratch, folder);
    for (const other of await readdir(dist)) {
      if (join(dist, other) !== folder && !other.includes('.')) {
        await rm(join(dist, other), { recursive: true, force: true });
      }
    }
  } catch (error) {
    if (!isAboutKeeping(error)) throw error;
    await rm(scratch, { recursive: true, force: true });
  }
};

const isAboutKeeping = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EACCES', 'EROFS', 'EPERM', 'ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(error.code));

/** What a browser loads before it can show the first page, compressed, in bytes. */
export const firstPageBytes = ({ script, style, files }: DashboardBuild): number => {
  const byName = new Map(files.map((file) => [file.name, file]));
  const needed = new Set<string>([style]);
  const visit = (name: string): void => {
    const file = byName.get(name);
    if (!file || needed.has(name)) return;
    needed.add(name);
    // Static imports only: what a page loads when it is opened comes by `import(…)`.
    for (const [, imported = ''] of file.text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) {
      visit(imported);
    }
  };
  visit(script);
  return [...needed].reduce(
    (sum, name) => sum + Bun.gzipSync(byName.get(name)?.text ?? '').byteLength,
    0,
  );
};

if (import.meta.main) {
  const build = await bundleDashboard();
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  for (const { name, text } of build.files) {
    process.stdout.write(`${kB(Bun.gzipSync(text).byteLength).padStart(10)}  ${name}\n`);
  }
  process.stdout.write(`First page, compressed: ${kB(firstPageBytes(build))}\n`);
}
