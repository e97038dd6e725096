import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from './package.json';

const root = import.meta.dir;
const entryPoint = join(root, 'src/index.ts');
const compiler = join(root, '../../node_modules/typescript/bin/tsc');

/**
 * Writes a standalone package into `folder`: one script, its declarations and a manifest without
 * dependencies. Within this repository the source is used directly.
 */
export const buildPackage = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await Bun.write(join(folder, 'index.js'), await bundle({ minify: false }));
  await writeDeclarations(folder);
  await Bun.write(join(folder, 'package.json'), `${JSON.stringify(builtManifest, null, 2)}\n`);
  await cp(join(root, 'README.md'), join(folder, 'README.md'));
};

/** The size of a browser bundle in bytes. */
export const measureSize = async () => {
  const script = await bundle({ minify: true });
  return { minified: Buffer.byteLength(script), compressed: Bun.gzipSync(script).byteLength };
};

const { name, version, description, license, type } = manifest;
const builtManifest = {
  ...{ name, version, description, license, type },
  sideEffects: false,
  engines: { node: '>=20' },
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
};

export const bundle = async ({ minify }: { minify: boolean }): Promise<string> => {
  const { outputs } = await Bun.build({ entrypoints: [entryPoint], target: 'browser', minify });
  const [script] = outputs;
  if (!script) throw new Error('Nothing was built');
  return script.text();
};

/** The compiler also writes those of the contract, which are not needed: its types are expanded. */
const writeDeclarations = async (folder: string): Promise<void> => {
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-sdk-'));
  try {
    const project = join(root, 'tsconfig.build.json');
    const tsc = Bun.spawn([process.execPath, compiler, '-p', project, '--outDir', scratch]);
    const output = await new Response(tsc.stdout).text();
    if ((await tsc.exited) !== 0) throw new Error(`No declarations:\n${output}`);
    const written = join(scratch, 'sdk/src');
    for (const file of await readdir(written)) await cp(join(written, file), join(folder, file));
  } finally {
    await rm(scratch, { recursive: true });
  }
};

if (import.meta.main) {
  await buildPackage(join(root, 'dist'));
  const { minified, compressed } = await measureSize();
  process.stdout.write(`dist is built: ${minified} bytes minified, ${compressed} compressed\n`);
}
