import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * Alters a file of a backup of the service, and makes the manifest's hashes and counts fit, as somebody would
 * who can write the folder but has no master key.
 */
export const changeLines = async (
  folder: string,
  file: 'database' | 'blobs',
  change: (lines: string[]) => string[],
): Promise<void> => {
  const path = join(folder, `${file}.gz`);
  const lines = gunzipSync(await readFile(path))
    .toString()
    .split('\n')
    .slice(0, -1);
  const changed = change(lines);
  const bytes = gzipSync(changed.map((line) => `${line}\n`).join(''));
  await writeFile(path, bytes);
  const manifestPath = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8'));
  manifest[file].sha256 = createHash('sha256').update(bytes).digest('hex');
  if (file === 'database') manifest.database.rows = countRows(changed);
  else manifest.blobs.count = changed.length;
  await writeFile(manifestPath, JSON.stringify(manifest));
};

const countRows = (lines: string[]): Record<string, number> => {
  const rows: Record<string, number> = {};
  let table = '';
  for (const line of lines) {
    if (line.startsWith('{"name"')) {
      table = JSON.parse(line).name;
      rows[table] = 0;
    } else if (line.startsWith('[')) rows[table] = (rows[table] ?? 0) + 1;
  }
  return rows;
};
