import { PlatformFailure } from '../failures.ts';

/** Five hundred channels, each with a hundred overwrites, are half of this. */
const largestAnswerBytes = 8 * 1024 * 1024;

/**
 * One request with bounds: no redirect is followed, and an answer is read only up to its limit. The
 * platform's answers are untrusted input.
 */
export const fetchLimited = async (
  url: string,
  init: RequestInit,
  largestBytes = largestAnswerBytes,
): Promise<Response> => {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new PlatformFailure('badAnswer', { status: response.status });
  }
  const body = await readUpTo(response, largestBytes);
  const { status, statusText, headers } = response;
  return new Response(status === 204 || status === 304 ? null : body, {
    status,
    statusText,
    headers,
  });
};

const readUpTo = async (response: Response, largest: number): Promise<Uint8Array<ArrayBuffer>> => {
  const { status, headers, body } = response;
  if (Number(headers.get('content-length') ?? 0) > largest) {
    await body?.cancel();
    throw new PlatformFailure('badAnswer', { status });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > largest) throw new PlatformFailure('badAnswer', { status });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
