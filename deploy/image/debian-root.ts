import { existsSync, realpathSync } from 'node:fs';
import { copyFile, cp, mkdir, rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from './program.ts';

/** The programs that making and entering such a root takes. */
export const neededPrograms = ['mmdebstrap', 'unshare', 'chroot', 'tar', 'apt-get'];

/** The bases that the Dockerfile names, and the Debian release below each. */
const bases: Record<string, { release: string; hasNode: boolean }> = {
  'debian:12-slim': { release: 'bookworm', hasNode: false },
  'node:22-bookworm-slim': { release: 'bookworm', hasNode: true },
};

/**
 * Fills a folder with what a base image contains: a small Debian and, for the base of the build, Node and npm
 * as this machine has them.
 */
export const unpackBase = async (base: string, folder: string): Promise<void> => {
  const known = bases[base];
  if (!known) throw new Error(`${base} is no base that can be made here`);
  const archive = await debianArchive(known.release);
  await mkdir(folder, { recursive: true });
  await runProgram(['tar', '-x', '-f', archive, '-C', folder, '--numeric-owner']);
  if (known.hasNode) await addNode(folder);
};

/** Made once for each machine: it takes up to a minute. */
const debianArchive = async (release: string): Promise<string> => {
  const archive = join(tmpdir(), `holdfast-${release}-${process.arch}.tar`);
  if (existsSync(archive)) return archive;
  const unfinished = `${archive}.${process.pid}`;
  const how = ['--variant=apt', '--format=tar', '--dpkgopt=force-unsafe-io'];
  const source = `deb ${await ownMirror()} ${release} main`;
  await runProgram(['mmdebstrap', ...how, release, unfinished, source]);
  await rename(unfinished, archive);
  return archive;
};

/** Where this machine gets its own packages from; the first source is the release itself. */
const ownMirror = async (): Promise<string> => {
  const list = await runProgram([
    'apt-get',
    'indextargets',
    '--format',
    '$(SITE)',
    'Created-By: Packages',
  ]);
  return list.split('\n')[0] ?? '';
};

const addNode = async (folder: string): Promise<void> => {
  const node = realpathSync(Bun.which('node') ?? '');
  const npm = dirname(dirname(realpathSync(Bun.which('npm') ?? '')));
  const bin = join(folder, 'usr/local/bin');
  await mkdir(bin, { recursive: true });
  await copyFile(node, join(bin, 'node'));
  await cp(npm, join(folder, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
};
