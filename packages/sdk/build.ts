import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import workspace from '../../package.json';
import { asModule, buildDeclarations } from './build-declarations.ts';
import manifest from './package.json';

const root = import.meta.dir;

/** What the package offers; the dashboard's client is of use to the service alone. */
const entries = { '.': 'index.ts', './catalog': 'catalog/index.ts' };

/**
 * Writes a standalone package into `folder`: scripts and declarations for `import` and for `require`,
 * and a manifest without dependencies. Within this repository the source is used directly.
 */
export const buildPackage = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  for (const entry of Object.values(entries)) {
    const script = entry.replace(/\.ts$/, '');
    await Bun.write(join(folder, `esm/${script}.js`), await bundle({ entry, format: 'esm' }));
    await Bun.write(join(folder, `cjs/${script}.cjs`), await bundle({ entry, format: 'cjs' }));
  }
  for (const [name, text] of await buildDeclarations(Object.values(entries))) {
    await Bun.write(join(folder, 'esm', name), asModule(text, 'js'));
    await Bun.write(join(folder, 'cjs', name.replace(/ts$/, 'cts')), asModule(text, 'cjs'));
  }
  await Bun.write(join(folder, 'package.json'), `${JSON.stringify(builtManifest, null, 2)}\n`);
  await cp(join(root, 'README.md'), join(folder, 'README.md'));
  await cp(join(root, '../../LICENSE'), join(folder, 'LICENSE'));
};

type BundleOptions = { entry?: string; format?: 'esm' | 'cjs'; minify?: boolean };

export const bundle = async (options: BundleOptions = {}): Promise<string> => {
  const { entry = entries['.'], format = 'esm', minify = false } = options;
  const entrypoints = [join(root, 'src', entry)];
  const { outputs } = await Bun.build({ entrypoints, target: 'browser', format, minify });
  const [script] = outputs;
  if (!script) throw new Error('Nothing was built');
  return script.text();
};

/** The size of a browser bundle in bytes. */
export const measureSize = async () => {
  const script = await bundle({ minify: true });
  return { minified: Buffer.byteLength(script), compressed: Bun.gzipSync(script).byteLength };
};

const exportOf = (entry: string) => {
  const script = entry.replace(/\.ts$/, '');
  return {
    import: { types: `./esm/${script}.d.ts`, default: `./esm/${script}.js` },
    require: { types: `./cjs/${script}.d.cts`, default: `./cjs/${script}.cjs` },
  };
};

const { name, version, description, license, type, keywords, engines } = manifest;
const { repository, homepage, bugs } = workspace;
const builtManifest = {
  ...{ name, version, description, keywords, license, homepage, bugs },
  repository: { ...repository, directory: 'packages/sdk' },
  type,
  sideEffects: false,
  engines,
  exports: {
    '.': exportOf(entries['.']),
    './catalog': exportOf(entries['./catalog']),
    './package.json': './package.json',
  },
  // For tools that do not know `exports`.
  main: exportOf(entries['.']).require.default,
  types: exportOf(entries['.']).require.types,
  files: ['esm', 'cjs'],
  publishConfig: { access: 'public' },
};

if (import.meta.main) {
  await buildPackage(join(root, 'dist'));
  const { minified, compressed } = await measureSize();
  process.stdout.write(`dist is built: ${minified} bytes minified, ${compressed} compressed\n`);
}
