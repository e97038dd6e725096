import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type BuiltFile, joinStyles } from './build-styles.ts';

const root = import.meta.dir;
const repository = join(root, '../..');
const dist = join(root, 'dist');
/** Comes with an archive of the service, which has neither the sources nor the libraries. */
export const packagedBuild = join(root, 'packaged.json');

/** The inputs of the bundle: a change in any of them makes a new one. */
const sources = [
  join(root, 'src'),
  join(root, 'build.ts'),
  join(root, 'build-styles.ts'),
  join(repository, 'packages/sdk/src'),
  join(repository, 'packages/contract/src'),
  join(repository, 'package-lock.json'),
];

export type DashboardBuild = {
  /** The names of the scripts that run at the start, in this order, and of the stylesheet. */
  scripts: string[];
  style: string;
  frame: Frame;
  files: BuiltFile[];
};

/** What the page itself contains, to be seen before script and stylesheet have arrived. */
export type Frame = { html: string; style: string; script: string };

/** The packaged build, or that of the present sources: from the cache, or made and cached. */
export const loadDashboard = async (): Promise<DashboardBuild> => {
  const packaged = Bun.file(packagedBuild);
  if (await packaged.exists()) return packaged.json();
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
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(root, 'src/main.tsx'), join(root, 'src/react.ts')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
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
  const main = outputs.findIndex(
    ({ kind, path }) => kind === 'entry-point' && /\/?main-[^/]+\.js$/.test(path),
  );
  const scripts = staticImports(files, files[main]?.name ?? '');
  const isStyle = ({ type }: BuiltFile) => type === 'text/css';
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) =>
    Object.keys(output.inputs),
  );
  const style = await joinStyles(files.filter(isStyle), inputs);
  if (scripts.length === 0 || style.text === '')
    throw new Error('The dashboard could not be built');
  return {
    scripts,
    style: style.name,
    frame: await readFrame(),
    files: [...files.filter((file) => !isStyle(file)), style],
  };
};

const readFrame = async (): Promise<Frame> => {
  const read = (ending: string) => readFile(join(root, `src/app/frame.${ending}`), 'utf8');
  const [html, style, script] = await Promise.all([read('html'), read('css'), read('js')]);
  return { html, style, script };
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

/** A script and all that it needs to run, which come before it; pages that use `import(…)` are not among them. */
const staticImports = (files: BuiltFile[], script: string): string[] => {
  const needed = new Set<string>();
  const visit = (name: string): void => {
    const file = files.find((one) => one.name === name);
    if (!file || needed.has(name)) return;
    for (const [, imported = ''] of file.text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) {
      visit(imported);
    }
    needed.add(name);
  };
  visit(script);
  return [...needed];
};

/** The compressed size of what a browser loads before it can show the first page. */
export const firstPageBytes = ({ scripts, style, files }: DashboardBuild): number =>
  files
    .filter(({ name }) => name === style || scripts.includes(name))
    .reduce((sum, { text }) => sum + Bun.gzipSync(text).byteLength, 0);

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
