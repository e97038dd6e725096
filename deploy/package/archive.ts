import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The same contents give the same bytes: names are sorted, and time, owner and umask are left out. */
const stable = [
  '--sort=name',
  '--mtime=@946684800',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,a+rX,go-w,a-s',
  '--format=gnu',
];

/** Packs a folder, under its own name, and writes the archive's checksum beside it. Gives the checksum. */
export const writeArchive = async (folder: string, archive: string): Promise<string> => {
  const pack = `tar -c ${stable.join(' ')} -C "$1" "$2" | gzip -n > "$3"`;
  const child = Bun.spawn(
    ['bash', '-o', 'pipefail', '-c', pack, 'pack', dirname(folder), basename(folder), archive],
    { stdout: 'inherit', stderr: 'inherit' },
  );
  if ((await child.exited) !== 0) throw new Error(`${archive} could not be written`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const checksum = hash.digest('hex');
  await writeFile(`${archive}.sha256`, `${checksum}  ${basename(archive)}\n`);
  return checksum;
};
