import { z } from 'zod';
import 'zod-openapi';

/** Any 8-4-4-4-12 form: an id that was never issued is "not found", not "malformed". */
export const uuid = z
  .guid('Must be a UUID')
  .meta({ format: 'uuid', example: '0191d3a0-5b7e-7c3a-9b1e-6f0d2c4a8e11' });

const largestPlatformId = 18446744073709551615n;
export const isPlatformId = (value: string): boolean =>
  /^\d{1,20}$/.test(value) && BigInt(value) <= largestPlatformId;

const platformIdMessage = 'Must be a platform id: 1 to 20 digits, as a string';

/** Always text, since these numbers exceed what a JavaScript number can represent. */
export const platformId = z
  .string(platformIdMessage)
  .refine(isPlatformId, platformIdMessage)
  .meta({ format: 'platform-id', pattern: '^\\d{1,20}$', example: '175928847299117063' });

/** Without leading zeros, for ids that must be unique: `007` and `7` are the same id. */
export const identifyingPlatformId = platformId.transform((value) => BigInt(value).toString());

/** In UTC the year must have four digits, for ISO 8601 and the database. */
const storableDate = z
  .date()
  .min(new Date('0001-01-01T00:00:00.000Z'), 'Must not be before the year 1')
  .max(new Date('9999-12-31T23:59:59.999Z'), 'Must not be after the year 9999');

/** An ISO 8601 UTC time in JSON, a `Date` in the code. */
export const timestamp = z
  .codec(z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time' }), storableDate, {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({ example: '2026-01-31T12:00:00.000Z' });

/** What a key has decided and has not taken effect yet; null where nothing waits. */
export const pendingOf = <const Actions extends readonly [string, ...string[]]>(actions: Actions) =>
  z
    .object({ action: z.enum(actions), at: timestamp.describe('When it takes effect.') })
    .nullable()
    .meta({ example: null });

/** The length is counted in code points, of one or two UTF-16 units each. */
const hasLength = (value: string, min: number, max: number): boolean => {
  // Of what is far too long nothing is counted, and nothing else is looked at.
  if (value.length > 2 * max) return false;
  const { length } = [...value];
  return length >= min && length <= max;
};

export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => hasLength(value, min, max), {
      error: `Must be ${min} to ${max} characters long`,
      abort: true,
    })
    .meta({ minLength: min, maxLength: max });

/** White space, control and format characters, fillers, and marks without anything to stand on. */
const showsNothing =
  /^[\s\p{Cc}\p{Cf}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1d159}]*$/u;

/** Text of which something can be seen. */
export const visibleText = (max: number) =>
  text(1, max).refine((value) => !showsNothing.test(value), 'Must have a visible character');

/** A name or title. */
export const name = visibleText(100);

export const secretText = text(1, 512);
export const note = text(0, 500);

export const url = z.url().meta({ format: 'uri', example: 'https://cdn.example.com/picture.png' });

const httpUrlMessage = 'Must be an http or https URL';

/** Its length comes first: to parse a long name of a host takes more than half a second. */
export const httpUrl = z
  .string(httpUrlMessage)
  .max(2048)
  .pipe(
    z
      .url({ protocol: /^https?$/, error: httpUrlMessage })
      .refine((value) => !/[\s\p{Cc}]/u.test(value), 'Must not contain white space'),
  )
  .meta({ format: 'uri', maxLength: 2048, example: 'https://example.com/callback' });

/** A number of things, from 0. */
export const count = z.int().min(0);

const wholeNumber = (max: number, message: string) =>
  z
    .string()
    .regex(/^[1-9]\d*$/, message)
    .transform(Number)
    .refine((value) => value <= max, message);

export const page = wholeNumber(Number.MAX_SAFE_INTEGER, 'Must be a whole number from 1')
  .default(1)
  .meta({
    description: 'The page, counted from 1.',
    override: { type: 'integer', minimum: 1, default: 1, pattern: undefined },
  });

export const limit = wholeNumber(100, 'Must be a whole number from 1 to 100')
  .default(20)
  .meta({
    description: 'Entries per page.',
    override: { type: 'integer', minimum: 1, maximum: 100, default: 20, pattern: undefined },
  });

export const paginationQuery = z.object({ page, limit });
export type PageQuery = z.output<typeof paginationQuery>;

export const pagination = z
  .object({
    page: z.int().describe('The requested page.'),
    limit: z.int().describe('Entries per page.'),
    total: z.int().describe('Entries on all pages.'),
    totalPages: z.int().describe('Number of pages; 0 if the list is empty.'),
  })
  .meta({ id: 'Pagination', example: { page: 1, limit: 20, total: 1, totalPages: 1 } });

export const booleanText = z
  .enum(['true', 'false'], 'Must be true or false')
  .transform((value) => value === 'true')
  .meta({ override: { type: 'boolean', enum: undefined } });

export const idParams = z.object({ id: uuid });

export const deleted = z
  .object({ id: z.string().meta({ format: 'uuid' }), deleted: z.literal(true) })
  .meta({ id: 'Deleted' });

/** A PUT must change at least one known field. */
export const atLeastOneOf = <Shape extends z.ZodRawShape>(fields: z.ZodObject<Shape>) =>
  fields
    .partial()
    .refine(
      (body) => Object.values(body).some((value) => value !== undefined),
      'Name at least one field to change',
    );
