import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const root = import.meta.dir;
const repository = join(root, '../..');
const dist = join(root, 'dist');

/** The inputs of the bundle: a change in any of them makes a new one. */
const sources = [
  join(root, 'src'),
  join(root, 'build.ts'),
  join(repository, 'packages/sdk/src'),
  join(repository, 'packages/contract/src'),
  join(repository, 'package-lock.json'),
];

export type BuiltFile = { name: string; type: string; text: string };

export type DashboardBuild = {
  /** The names of the entry script and of the stylesheet. */
  script: string;
  style: string;
  files: BuiltFile[];
};

/** The build of the present sources: from the cache, or made and cached. */
export const loadDashboard = async (): Promise<DashboardBuild> => {
  const folder = join(dist, await keyOfSources());
  return (await readCached(folder)) ?? bundleElsewhere();
};

/** In a process of its own: the bundler's memory, tens of megabytes, would stay with the service. */
const bundleElsewhere = async (): Promise<DashboardBuild> => {
  const child = Bun.spawn([process.execPath, '--no-env-file', import.meta.path, 'print'], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [text, problem, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`The dashboard could not be built: ${problem}`);
  return JSON.parse(text);
};

const bundleAndCache = async (): Promise<DashboardBuild> => {
  const build = await bundleDashboard();
  await writeCached(join(dist, await keyOfSources()), build);
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

/**
 * Taken as they are: the bundler writes their logical properties out for every language there is, which makes
 * them half as large again and slower to apply.
 */
const libraryStyles = ['core', 'charts', 'notifications', 'spotlight'].map((part) =>
  readFileSync(Bun.resolveSync(`@mantine/${part}/styles.css`, root), 'utf8'),
);

/** One stylesheet for all pages, because lazily loaded pages do not load their own. The entry's comes first. */
const joinStyles = (styles: BuiltFile[]): BuiltFile => {
  const isFirst = ({ name }: BuiltFile) => name.startsWith('main-');
  const named = styles.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const ordered = [...named.filter(isFirst), ...named.filter((style) => !isFirst(style))];
  const text = [...libraryStyles, ...ordered.map((style) => style.text)].join('\n');
  return { name: `style-${Bun.hash(text).toString(36)}.css`, type: 'text/css', text };
};

const keyOfSources = async (): Promise<string> => {
  const hash = new Bun.CryptoHasher('sha256');
  // Names of CSS classes depend on paths relative to the working directory.
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

const readCached = async (folder: string): Promise<DashboardBuild | undefined> => {
  const file = Bun.file(join(folder, 'build.json'));
  // Another process may remove it at any moment: see `writeCached`.
  return (await file.exists()) ? file.json().catch(() => undefined) : undefined;
};

/** Atomic, since several processes may start at once; a folder that cannot be written is no error. */
const writeCached = async (folder: string, build: DashboardBuild): Promise<void> => {
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
    if (!isCacheError(error)) throw error;
    await rm(scratch, { recursive: true, force: true });
  }
};

const isCacheError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EACCES', 'EROFS', 'EPERM', 'ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(error.code));

/** The compressed size of what a browser loads before it can show the first page. */
export const firstPageBytes = ({ script, style, files }: DashboardBuild): number => {
  const byName = new Map(files.map((file) => [file.name, file]));
  const needed = new Set<string>([style]);
  const visit = (name: string): void => {
    const file = byName.get(name);
    if (!file || needed.has(name)) return;
    needed.add(name);
    // Static imports only: lazily loaded pages use `import(…)`.
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

if (import.meta.main && process.argv[2] === 'print') {
  await Bun.write(Bun.stdout, JSON.stringify(await bundleAndCache()));
} else if (import.meta.main) {
  const build = await bundleDashboard();
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  for (const { name, text } of build.files) {
    process.stdout.write(`${kB(Bun.gzipSync(text).byteLength).padStart(10)}  ${name}\n`);
  }
  process.stdout.write(`First page, compressed: ${kB(firstPageBytes(build))}\n`);
}
