import { HttpError } from '../../kernel/errors.ts';
import { largeBodyBounds, parseBoundedJson } from '../../kernel/json-bounds.ts';
import { largestBodyBytes, readWithin, refuseCompressed } from '../endpoint/read-body.ts';

/** Why a message was not read, as an answer of JSON-RPC; nobody knows the id of what cannot be read. */
export type RefusedMessage = { status: number; code: number; message: string };

const invalidRequest = -32600;
const parseError = -32700;

const refused = (status: number, code: number, message: string): RefusedMessage => ({
  ...{ status, code, message },
});

/**
 * The one message of a POST. Several at once (a batch) were part of one earlier revision only; refused,
 * they cannot be used to have many calls counted as one request.
 */
export const readMessage = async (
  request: Request,
): Promise<{ message: object } | { refusal: RefusedMessage }> => {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    return { refusal: refused(415, invalidRequest, 'Send the message as application/json') };
  }
  const bytes = await readBytes(request);
  if ('code' in bytes) return { refusal: bytes };
  const parsed = parseBoundedJson(bytes, largeBodyBounds);
  if ('problem' in parsed) {
    return { refusal: refused(400, parseError, `The body ${parsed.problem}`) };
  }
  const { value } = parsed;
  if (Array.isArray(value)) {
    return { refusal: refused(400, invalidRequest, 'Send one message per request, not a batch') };
  }
  if (typeof value !== 'object' || value === null) {
    return { refusal: refused(400, invalidRequest, 'The body is not a message of JSON-RPC') };
  }
  return { message: value };
};

const readBytes = async (request: Request): Promise<Uint8Array | RefusedMessage> => {
  try {
    refuseCompressed(request.headers, (message) => new BodyRefused(415, message));
    return await readWithin(request, largestBodyBytes, { refuse: refuseBody });
  } catch (error) {
    if (error instanceof BodyRefused)
      return refused(error.httpStatus, invalidRequest, error.message);
    throw error;
  }
};

class BodyRefused extends HttpError {
  constructor(
    readonly httpStatus: number,
    message: string,
  ) {
    super(400, message);
  }
}

/** Only a body that did not arrive in time closes its connection. */
const refuseBody = (message: string, headers?: Record<string, string>): BodyRefused =>
  new BodyRefused(headers === undefined ? 413 : 408, message);
