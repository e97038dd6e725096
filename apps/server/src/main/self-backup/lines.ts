import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Written together, because a chunk for each line would cost more than its compression. */
const chunkChars = 64 * 1024;

async function* inChunks(lines: AsyncIterable<string>): AsyncIterable<string> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < chunkChars) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** A compressed file of lines, on the disk when this returns; gives the hash of its bytes. */
export const writeLines = async (path: string, lines: AsyncIterable<string>): Promise<string> => {
  const file = createWriteStream(path, { flags: 'w', mode: 0o600 });
  await pipeline(Readable.from(inChunks(lines)), createGzip({ level: 4 }), file);
  await using written = await open(path, 'r+');
  await written.sync();
  return hashFile(path);
};

export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
};

/**
 * Not by `readline`, which also takes other characters for the end of a line. Throws after the last line where
 * the file's bytes are others than `sha256` says.
 */
export async function* readLines(path: string, sha256?: string): AsyncIterable<string> {
  const hash = createHash('sha256');
  const file = createReadStream(path).on('data', (chunk) => hash.update(chunk));
  const text = file.pipe(createGunzip()).setEncoding('utf8');
  // `pipe` hands no error on: without this a missing file would end the process.
  file.on('error', (error) => text.destroy(error));
  let rest = '';
  for await (const chunk of text) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Error(`${path} ends within a line`);
  if (sha256 === undefined || hash.digest('hex') === sha256) return;
  throw new Error(`The backup is damaged: ${basename(path)} has other bytes`);
}
