import { largestStoredBytes } from './store.ts';

export type S3Answer = {
  isOk: boolean;
  status: number;
  /** The store's own word for what went wrong; empty when it gave none. */
  code: string;
  bytes: Uint8Array;
};

const largestErrorBytes = 16 * 1024;

/** The answer, read no further than makes sense: the store is trusted with nothing but time. */
export const readAnswer = async (response: Response): Promise<S3Answer> => {
  const { status, ok: isOk, body } = response;
  const bytes = await readUpTo(body, isOk ? largestStoredBytes : largestErrorBytes);
  const code = isOk ? '' : errorCodeIn(bytes);
  return { isOk, status, code, bytes };
};

const errorCodeIn = (bytes: Uint8Array): string =>
  /<Code>([A-Za-z]{1,64})<\/Code>/.exec(new TextDecoder().decode(bytes))?.[1] ?? '';

const readUpTo = async (
  body: ReadableStream<Uint8Array> | null,
  largest: number,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= largest) break;
  }
  return Buffer.concat(chunks).subarray(0, largest);
};
