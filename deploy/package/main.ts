import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeArchive } from './archive.ts';
import { copyContents, sizeOf } from './contents.ts';

/**
 * `npm run package` writes `dist/holdfast-<version>-linux-<arch>.tar.gz`: the service as it runs in
 * production, with Bun and all modules it loads, for machines of this kind. It needs neither Node nor npm.
 *
 * With `-- --folder /opt/holdfast` the contents are put there instead.
 */
const root = join(import.meta.dir, '../..');
const mostBytes = 250_000_000;

/** As Docker and Debian name them. */
const architectures: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
};

const run = async (): Promise<void> => {
  const { values } = parseArgs({ options: { folder: { type: 'string' } } });
  const architecture = architectures[process.arch];
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error('Archives are made on Linux, on amd64 or arm64: they contain its modules.');
  }
  if (values.folder !== undefined) return fill(values.folder);
  const { version } = await Bun.file(join(root, 'package.json')).json();
  const name = `holdfast-${version}-linux-${architecture}`;
  const dist = join(root, 'dist');
  await mkdir(dist, { recursive: true });
  const scratch = await mkdtemp(join(dist, 'package-'));
  try {
    const folder = join(scratch, name);
    await fill(folder);
    const archive = join(dist, `${name}.tar.gz`);
    const checksum = await writeArchive(folder, archive);
    print(`${inMegabytes(Bun.file(archive).size)}  ${archive}\nsha256 ${checksum}`);
  } finally {
    await rm(scratch, { recursive: true });
  }
};

const fill = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await copyContents(root, folder);
  const bytes = await sizeOf(folder);
  print(`${inMegabytes(bytes)}  unpacked`);
  if (bytes > mostBytes) throw new Error(`More than ${inMegabytes(mostBytes)}: what came in?`);
};

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const print = (text: string) => process.stdout.write(`${text}\n`);

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
