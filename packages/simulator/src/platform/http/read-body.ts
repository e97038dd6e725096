import { z } from 'zod';
import type { PlatformContext } from '../platform.ts';
import { ApiError, invalidFormFromIssues } from './api-error.ts';

/** The JSON body, or the `payload_json` part of a form that also carries files. */
export const readBody = async <Schema extends z.ZodType>(
  c: PlatformContext,
  schema: Schema,
): Promise<z.output<Schema>> => parseForm(schema, await readJson(c));

export const readQuery = <Schema extends z.ZodType>(
  c: PlatformContext,
  schema: Schema,
): z.output<Schema> => parseForm(schema, c.req.query());

export const parseForm = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidFormFromIssues(parsed.error.issues);
  return parsed.data;
};

export const readFormData = async (c: PlatformContext): Promise<FormData> => {
  try {
    return await c.req.formData();
  } catch {
    throw new ApiError(400, 50035, 'Invalid Form Body');
  }
};

const readJson = async (c: PlatformContext): Promise<unknown> => {
  const isForm = c.req.header('content-type')?.startsWith('multipart/form-data');
  const text = isForm ? (await readFormData(c)).get('payload_json') : await c.req.text();
  if (typeof text !== 'string' || text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 50109, 'The request body contains invalid JSON.');
  }
};

export const snowflakeField = z
  .union([z.string().regex(/^\d{1,20}$/), z.int().nonnegative()])
  .transform(String);

export const permissionsField = z
  .union([z.string().regex(/^\d{1,40}$/), z.int().nonnegative()])
  .transform(String);

/** Numbers of a query are text. */
export const limitField = (fallback: number, maximum: number) =>
  z.coerce.number().int().min(1).max(maximum).default(fallback);
