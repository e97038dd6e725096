import type { Endpoint } from '@holdfast/contract';
import { invalid } from '../../kernel/errors.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { readWithin, refuseCompressed } from './read-body.ts';

type Upload = NonNullable<Endpoint['upload']>;

/** Boundaries, headers of the parts and small fields, beside the file itself. */
const formOverheadBytes = 16 * 1024;
/** For 2 MiB from a phone; shorter than the idle time that `serve.ts` grants a body. */
const deadlineMs = 25_000;

/** The form's one file, as the body that the endpoint's schema parses. Other fields are ignored. */
export const readUpload = async (
  request: Request,
  { field, largestBytes }: Upload,
): Promise<Record<string, File>> => {
  const refuse = (message: string, headers?: Record<string, string>) =>
    invalid({ fieldErrors: { [field]: [message] } }, headers);
  refuseCompressed(request.headers, refuse);
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data *;/i.test(contentType)) {
    throw refuse('Send the file as multipart/form-data');
  }
  const bytes = await readWithin(request, largestBytes + formOverheadBytes, { deadlineMs, refuse });
  const form = await parseForm(bytes, contentType);
  if (!form) throw refuse('The form is malformed');
  const [file, ...others] = form.getAll(field);
  if (!(file instanceof File) || others.length > 0) {
    throw refuse('Send exactly one file in this field');
  }
  if (file.size === 0) throw refuse('The file is empty');
  if (file.size > largestBytes) throw refuse(`The file is larger than ${largestBytes / 1024} KiB`);
  return { [field]: file };
};

const parseForm = (bytes: Uint8Array<ArrayBuffer>, contentType: string) =>
  new Response(bytes, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);

/** By content: a repeat may carry another boundary or file name. */
export const hashUpload = async (body: object = {}): Promise<string[]> => {
  const files = Object.values(body).filter((value) => value instanceof File);
  return Promise.all(files.map(async (file) => sha256Hex(await file.bytes())));
};
