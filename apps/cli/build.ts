import { chmod, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { BunPlugin } from 'bun';
import workspace from '../../package.json';
import manifest from './package.json';
import { thirdPartyNotices } from './third-party.ts';

const root = import.meta.dir;

/**
 * What few commands need, by the words of its import. It is kept compressed in the file, and read
 * only where it is imported: the runtime would parse all of it at every start.
 */
const keptApart: Record<string, string> = {
  './exact-width.ts': join(root, 'src/output/exact-width.ts'),
  './jq-engine.ts': join(root, 'src/output/jq-engine.ts'),
  './serve-mcp.ts': join(root, 'src/commands/serve-mcp.ts'),
  yaml: Bun.resolveSync('yaml', root),
};

type Bundle = { script: string; inputs: string[] };

const bundle = async (
  entry: string,
  options: Pick<Bun.BuildConfig, 'format' | 'plugins'>,
): Promise<Bundle> => {
  const { outputs, metafile } = await Bun.build({
    ...options,
    entrypoints: [entry],
    target: 'node',
    minify: true,
    metafile: true,
  });
  const [script] = outputs;
  if (!script || !metafile) throw new Error(`Nothing was built of ${entry}`);
  return { script: await script.text(), inputs: Object.keys(metafile.inputs) };
};

/** A module that unpacks and evaluates the script when it is imported. */
const packedModule = (name: string, script: string): string => {
  // The best quality takes twenty times as long, for a tenth less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const packed = brotliCompressSync(script, { params }).toString('base64');
  const named = JSON.stringify(`\n//# sourceURL=holdfast/${name.replace(/\W/g, '')}.cjs`);
  return `const { brotliDecompressSync } = require('node:zlib');
const script = brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString() + ${named};
new Function('require', 'module', 'exports', script)(require, module, module.exports);`;
};

const keepApart = (scripts: Map<string, string>): BunPlugin => ({
  name: 'keep-apart',
  setup(build) {
    const namespace = 'kept-apart';
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'dynamic-import' && scripts.has(path) ? { path, namespace } : undefined,
    );
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: packedModule(path, scripts.get(path) ?? ''),
      loader: 'js',
    }));
  },
});

/** The whole command line as one file, for Node 20.3 or later and for Bun, and what it is made of. */
const buildScript = async (): Promise<{ script: string; notices: string }> => {
  const apart = new Map<string, Bundle>();
  for (const [name, entry] of Object.entries(keptApart)) {
    apart.set(name, await bundle(entry, { format: 'cjs' }));
  }
  const scripts = new Map([...apart].map(([name, { script }]) => [name, script]));
  const main = await bundle(join(root, 'src/main.ts'), {
    format: 'esm',
    plugins: [keepApart(scripts)],
  });
  const inputs = [main, ...apart.values()].flatMap((part) => part.inputs);
  const notices = await thirdPartyNotices(inputs);
  // In the repository Bun runs the source. Marked as its own, it would take the file for ASCII.
  const text = main.script.replace(/^#!.*\n(\/\/ @bun.*\n)?/, '');
  return { script: `#!/usr/bin/env node\n${text}`, notices };
};

/** With the notices at its end: it is given to others without the package too. */
const writeScript = async (path: string, script: string, notices: string): Promise<void> => {
  await Bun.write(path, `${script}\n/*\n${notices.replaceAll('*/', '* /')}*/\n`);
  await chmod(path, 0o755);
};

export const buildFile = async (path: string): Promise<void> => {
  const { script, notices } = await buildScript();
  await writeScript(path, script, notices);
};

/** A package of that file, without dependencies. */
export const buildPackage = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  const { script, notices } = await buildScript();
  await writeScript(join(folder, 'holdfast.mjs'), script, notices);
  await Bun.write(join(folder, 'THIRD-PARTY'), notices);
  const { name, version, description, license, type, engines } = manifest;
  const { homepage, bugs, repository } = workspace;
  const built = {
    ...{ name, version, description, license, homepage, bugs, type },
    repository: { ...repository, directory: 'apps/cli' },
    engines,
    bin: { holdfast: 'holdfast.mjs' },
    man: 'holdfast.1',
  };
  await Bun.write(join(folder, 'package.json'), `${JSON.stringify(built, null, 2)}\n`);
  await cp(join(root, 'README.md'), join(folder, 'README.md'));
  await cp(join(root, '../../docs/holdfast.1'), join(folder, 'holdfast.1'));
  await cp(join(root, '../../LICENSE'), join(folder, 'LICENSE'));
};

if (import.meta.main) {
  await buildPackage(join(root, 'dist'));
  const { size } = Bun.file(join(root, 'dist/holdfast.mjs'));
  process.stdout.write(`dist/holdfast.mjs is built: ${size} bytes\n`);
}
