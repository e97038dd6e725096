import { readFile } from 'node:fs/promises';
import { CommandError } from '../exit-codes.ts';

export const parseJson = (text: string, place: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError('usage', `${place} is not JSON: ${reason}`);
  }
};

export async function readGivenFile(path: string): Promise<Buffer>;
export async function readGivenFile(path: string, encoding: 'utf8'): Promise<string>;
export async function readGivenFile(path: string, encoding?: 'utf8'): Promise<Buffer | string> {
  try {
    return await readFile(path, encoding ?? null);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError('usage', `${path} cannot be read: ${reason}`);
  }
}
