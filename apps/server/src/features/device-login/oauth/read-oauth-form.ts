import { readWithin, refuseCompressed } from '../../../http/endpoint/read-body.ts';
import { decodeQuery } from '../../../http/endpoint/read-input.ts';
import { HttpError } from '../../../kernel/errors.ts';

const largestFormBytes = 8 * 1024;

const formType = /^application\/x-www-form-urlencoded *(; *charset="?utf-?8"?)?$/i;

/** A refusal as RFC 6749 (5.2) wants it: a code for programs, and a sentence for people. */
export const oauthError = (
  error: string,
  description: string,
  {
    status = 400,
    headers,
  }: { status?: 400 | 403 | 429 | 503; headers?: Record<string, string> } = {},
): HttpError => new HttpError(status, error, { error_description: description }, headers);

export const invalidRequest = (description: string, headers?: Record<string, string>) =>
  oauthError('invalid_request', description, { ...(headers && { headers }) });

/** The parameters of a request: each at most once, and none without a value. */
export const readOAuthForm = async (request: Request): Promise<Map<string, string>> => {
  refuseCompressed(request.headers, invalidRequest);
  if (!formType.test(request.headers.get('content-type') ?? '')) {
    throw invalidRequest('Send application/x-www-form-urlencoded in UTF-8');
  }
  const bytes = await readWithin(request, largestFormBytes, { refuse: invalidRequest });
  const { values, fieldErrors } = decodeQuery(decodeText(bytes));
  if (Object.keys(fieldErrors).length > 0) {
    throw invalidRequest('A parameter is repeated, or is no text in UTF-8');
  }
  return new Map(Object.entries(values).filter(([, value]) => value !== ''));
};

const decodeText = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('The form is not UTF-8');
  }
};
