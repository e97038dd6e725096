import { chmod, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import workspace from '../../package.json';
import manifest from './package.json';

const root = import.meta.dir;

/** The whole command line as one file, for Node 20.3 or later and for Bun. */
export const buildFile = async (path: string): Promise<void> => {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'src/main.ts')],
    target: 'node',
    minify: true,
  });
  const [script] = outputs;
  if (!script) throw new Error('Nothing was built');
  // In the repository Bun runs the source. Marked as its own, it would take the file for ASCII.
  const text = (await script.text()).replace(/^#!.*\n(\/\/ @bun.*\n)?/, '');
  await Bun.write(path, `#!/usr/bin/env node\n${text}`);
  await chmod(path, 0o755);
};

/** A package of that file, without dependencies. */
export const buildPackage = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await buildFile(join(folder, 'holdfast.mjs'));
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
