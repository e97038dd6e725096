import { beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeLines } from '../../../test/harness/self-backups.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { generateMasterKey, parseKeyRing } from '../../kernel/seal.ts';
import { writeLines } from './lines.ts';
import { writeManifest } from './manifest.ts';
import { verifyBackup } from './verify.ts';

const masterKey = generateMasterKey();
const ring = parseKeyRing(masterKey);
const account = '01890000-0000-7000-8000-000000000000';
const bytes = 'sealed bytes';
const copy = sha256Hex(bytes);

let home: string;
let folder: string;

async function* each(lines: object[]): AsyncIterable<string> {
  for (const line of lines) yield JSON.stringify(line);
}

/** A backup of one table with one row, and of one blob. */
const makeBackup = async (name: string, row: string): Promise<string> => {
  const made = join(home, name);
  await mkdir(made);
  const blob = `${account}/ab/${'ab'.repeat(32)}`;
  const blobs = {
    name: blob,
    sha256: copy,
    bytes: bytes.length,
    modifiedAt: '2026-01-01T00:00:00Z',
  };
  const table = { name: 'public.things', columns: ['id'] };
  const database = await writeLines(join(made, 'database.gz'), each([table, [row], { end: true }]));
  const list = await writeLines(join(made, 'blobs.gz'), each([blobs]));
  await writeManifest(
    made,
    {
      ...{ form: 1, version: '1.0.0', createdAt: '2026-01-01T00:00:00.000Z', migrations: [] },
      ...{ queueVersion: 1, keys: { inUse: [], checks: [] } },
      database: { sha256: database, rows: { 'public.things': 1 } },
      blobs: { sha256: list, count: 1, bytes: bytes.length },
    },
    ring,
  );
  return made;
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-verify-'));
  await mkdir(join(home, 'blobs', copy.slice(0, 2)), { recursive: true });
  await writeFile(join(home, 'blobs', copy.slice(0, 2), copy), bytes);
  folder = await makeBackup('holdfast-2026-01-01T00-00-00Z', 'one');
});

test('a backup is whole as it was made, and its tag names the key', async () => {
  expect(await verifyBackup(folder, { ring })).toMatchObject({ blobs: [{ sha256: copy }] });
  expect(await readFile(join(folder, 'manifest.tag'), 'utf8')).toStartWith(
    `m1.${ring.sealingKeyId}.`,
  );
});

test('a backup of an older master key is whole while that key is in the ring', async () => {
  const rotated = parseKeyRing(`${generateMasterKey()},${masterKey}`);
  expect(await verifyBackup(folder, { ring: rotated })).toMatchObject({ blobs: [{}] });
  const lacking = verifyBackup(folder, { ring: parseKeyRing(generateMasterKey()) });
  await expect(lacking).rejects.toThrow(`made with: ${ring.sealingKeyId}`);
  await expect(verifyBackup(folder, { ring: undefined })).rejects.toThrow('MASTER_KEYS lacks');
});

test('another key under the same id makes no tag that is believed', async () => {
  const [id] = masterKey.split(':');
  const other = parseKeyRing(`${id}:${Buffer.alloc(32, 7).toString('base64')}`);
  await expect(verifyBackup(folder, { ring: other })).rejects.toThrow('another key under the id');
});

test('one bit more or less in manifest or tag is refused, also where a tag may lack', async () => {
  for (const file of ['manifest.json', 'manifest.tag']) {
    const path = join(folder, file);
    const before = await readFile(path);
    const altered = Buffer.from(before);
    altered.writeUInt8(altered.readUInt8(altered.length - 4) ^ 1, altered.length - 4);
    await writeFile(path, altered);
    await expect(verifyBackup(folder, { ring, mayLackTag: true })).rejects.toThrow('is refused');
    await writeFile(path, before);
  }
});

test('a backup without a tag is refused, unless the operator says so', async () => {
  await rm(join(folder, 'manifest.tag'));
  await expect(verifyBackup(folder, { ring })).rejects.toThrow('it has no manifest.tag');
  expect(await verifyBackup(folder, { ring, mayLackTag: true })).toMatchObject({ blobs: [{}] });
});

test.each(['database.gz', 'blobs.gz', 'manifest.json', 'manifest.tag'])(
  '%s of another backup of the service is refused',
  async (file) => {
    const other = await makeBackup('holdfast-2026-01-02T00-00-00Z', 'two');
    await changeLines(other, 'blobs', (lines) => lines.map((line) => line.replace('2026', '2025')));
    await rm(join(folder, file));
    await rename(join(other, file), join(folder, file));
    await expect(verifyBackup(folder, { ring })).rejects.toThrow(/damaged|refused/);
  },
);

test('an old backup under the name of a newer one is refused', async () => {
  const renamed = join(home, 'holdfast-2026-05-05T00-00-00Z');
  await rename(folder, renamed);
  await expect(verifyBackup(renamed, { ring })).rejects.toThrow('its folder says otherwise');
});

/** For what the operator takes without a tag: there the names come from anybody. */
const requireRefusal = async (
  file: 'database' | 'blobs',
  change: (lines: string[]) => string[],
  reason: string,
) => {
  await rm(join(folder, 'manifest.tag'));
  await changeLines(folder, file, change);
  await expect(verifyBackup(folder, { ring, mayLackTag: true })).rejects.toThrow(reason);
};

test.each([
  '../../../etc/passwd',
  '/etc/passwd',
  `${account}/../ab`,
  `${account}/ab/${'cd'.repeat(32)}`,
  '',
])('a blob named %p is refused', async (name) => {
  const rename = (line: string) => JSON.stringify({ ...JSON.parse(line), name });
  await requireRefusal('blobs', (lines) => lines.map(rename), 'no name of a blob');
});

test('a blob that is listed twice is refused', async () => {
  await requireRefusal('blobs', (lines) => [...lines, ...lines], 'or one twice');
});

test('the hash of a blob is no path', async () => {
  const lead = (line: string) => line.replace(copy, '../../../../etc/passwd');
  await requireRefusal('blobs', (lines) => lines.map(lead), 'sha256');
});

test('a table that is there twice, a row without a table, and lines after the end are refused', async () => {
  await requireRefusal('database', (lines) => [...lines.slice(0, 2), ...lines], 'rows differ');
  folder = await makeBackup('holdfast-one', 'one');
  await requireRefusal('database', (lines) => lines.slice(1), 'a row without a table');
  folder = await makeBackup('holdfast-two', 'one');
  await requireRefusal('database', (lines) => [...lines, ...lines], 'goes on after its end');
});
