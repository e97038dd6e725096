import { type HttpError, invalid } from '../../kernel/errors.ts';
import { bodyBounds, parseBoundedJson } from '../../kernel/json-bounds.ts';
import { giveWay } from '../../kernel/turns.ts';

export const largestBodyBytes = 256 * 1024;
const quickBytes = 16 * 1024;
const bodyDeadlineMs = 10_000;

type RefuseBody = (message: string, headers?: Record<string, string>) => HttpError;
type ReadOptions = { deadlineMs?: number; refuse?: RefuseBody };

/** The request's JSON object; undefined where there is no body at all. */
export const readJsonObject = async (
  request: Request,
  bounds = bodyBounds,
): Promise<object | undefined> => {
  refuseCompressed(request.headers);
  const bytes = await readWithin(request, largestBodyBytes);
  const contentType = request.headers.get('content-type');
  if (bytes.length === 0 && contentType === null) return undefined;
  refuseContentType(contentType);
  // Many clients send a content type with every request, also without a body.
  if (bytes.length === 0) return undefined;
  return parseObject(bytes, bounds);
};

const refuseBody: RefuseBody = (message, headers) => invalid({ formErrors: [message] }, headers);

export const refuseCompressed = (headers: Headers, refuse = refuseBody): void => {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw refuse('Send the body uncompressed');
};

const refuseContentType = (header: string | null): void => {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type !== 'application/json' || !isUtf8) {
    throw refuseBody('Send the body as application/json in UTF-8');
  }
};

/** The raw body, with bounds on its size and on the time it takes to arrive. */
export const readWithin = async (
  request: Request,
  largest: number,
  { deadlineMs = bodyDeadlineMs, refuse = refuseBody }: ReadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> => {
  const tooLarge = () => refuse(`The body is larger than ${largest / 1024} KiB`);
  if (Number(request.headers.get('content-length') ?? 0) > largest) throw tooLarge();
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const deadline = setTimeout(() => reader.cancel(), deadlineMs);
  const startedAt = performance.now();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw request.signal.aborted ? refuse('The body was cut off') : error;
      });
      if (done) break;
      size += value.length;
      if (size > largest) throw tooLarge();
      chunks.push(value);
    }
  } finally {
    clearTimeout(deadline);
  }
  if (performance.now() - startedAt >= deadlineMs) {
    throw refuse(`The body did not arrive within ${deadlineMs / 1000} s`, { Connection: 'close' });
  }
  // To read what is in it takes longer than most requests: of several each has a turn.
  if (size > quickBytes) await giveWay();
  return Buffer.concat(chunks);
};

/** Any JSON that a client sends as a body. */
export const parseBody = (bytes: Uint8Array, bounds = bodyBounds): unknown => {
  const parsed = parseBoundedJson(bytes, bounds);
  if ('problem' in parsed) throw refuseBody(`The body ${parsed.problem}`);
  return parsed.value;
};

const parseObject = (bytes: Uint8Array, bounds: typeof bodyBounds): object => {
  const parsed = parseBody(bytes, bounds);
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw refuseBody('The body must be a JSON object');
  }
  return parsed;
};
