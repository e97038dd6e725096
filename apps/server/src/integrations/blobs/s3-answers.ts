import { errorCode } from '../../kernel/describe-error.ts';
import { largestStoredBytes, StorageFull, StorageUnavailable } from './blob-store.ts';

export type S3Method = 'PUT' | 'GET' | 'DELETE';

export type S3Answer = {
  isOk: boolean;
  status: number;
  /** The store's error code; empty when it gave none. */
  code: string;
  /** Where the bucket is, when the store says that it is elsewhere. */
  bucketRegion?: string;
  bytes: Uint8Array;
};

const largestErrorBytes = 16 * 1024;

/** Reads an answer up to a limit: the store is not trusted. */
export const readAnswer = async (response: Response): Promise<S3Answer> => {
  const { status, ok: isOk, body, headers } = response;
  const bytes = await readUpTo(body, isOk ? largestStoredBytes : largestErrorBytes);
  const code = isOk ? '' : errorCodeIn(bytes);
  const region = /^[a-z0-9-]{1,32}$/.exec(headers.get('x-amz-bucket-region') ?? '')?.[0];
  return { isOk, status, code, bytes, ...(!isOk && region && { bucketRegion: region }) };
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

const expiredCodes = ['ExpiredToken', 'TokenRefreshRequired'];

/** Refusals below 500 that say nothing of the request: bytes lost on the way, another write under way. */
const passingCodes = [
  ...expiredCodes,
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'OperationAborted',
];

/** 501 and 507 stay what they are. */
export const isPassing = ({ status, code }: S3Answer): boolean =>
  status === 429 ||
  (status >= 500 && status !== 501 && status !== 507) ||
  (status >= 400 && passingCodes.includes(code));

const fullCodes = [
  'XMinioStorageFull',
  'QuotaExceeded',
  'InsufficientStorage',
  'InsufficientCapacity',
];

export const failureOf = (method: S3Method, answer: S3Answer): Error => {
  const { status, code } = answer;
  const isFull = status === 507 || fullCodes.includes(code);
  if (isFull && method === 'PUT') return new StorageFull();
  const answered = `${method} was answered with ${status} ${code}`.trimEnd();
  return new Refused(`${answered}${adviceOn(answer)}`, code);
};

class Refused extends StorageUnavailable {
  constructor(
    reason: string,
    readonly code: string,
  ) {
    super(reason);
  }
}

/** Whether the time of the credentials is over, by the store's clock. */
export const isExpired = (error: unknown): boolean => expiredCodes.includes(errorCode(error) ?? '');

/** What the operator can do about it, where the store's code does not say. */
const adviceOn = ({ code, bucketRegion }: S3Answer): string => {
  if (code === 'RequestTimeTooSkewed') return ': its clock and this machine’s are too far apart';
  if (bucketRegion !== undefined) return ` and says that the bucket is in region ${bucketRegion}`;
  return '';
};

/** Without the error's message, which may hold the signed URL. */
export const unavailable = (what: string, error: unknown): StorageUnavailable => {
  if (error instanceof StorageUnavailable) return error;
  return new StorageUnavailable(`${what} failed with ${reasonOf(error)}`);
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no reason given';
  const code = errorCode(error) ?? '';
  return /^[A-Za-z_]{1,64}$/.test(code) ? code : error.name;
};
