import { z } from 'zod';
import 'zod-openapi';

/** Any 8-4-4-4-12 spelling: an id we never issued is "not found", not "malformed". */
export const uuid = z
  .guid('Must be a UUID')
  .meta({ format: 'uuid', example: '0191d3a0-5b7e-7c3a-9b1e-6f0d2c4a8e11' });

const largestPlatformId = 18446744073709551615n;
export const isPlatformId = (value: string): boolean =>
  /^\d{1,20}$/.test(value) && BigInt(value) <= largestPlatformId;

const platformIdMessage = 'Must be a platform id: 1 to 20 digits, as a string';

/** Always text: these numbers are larger than a JavaScript number can hold. */
export const platformId = z
  .string(platformIdMessage)
  .refine(isPlatformId, platformIdMessage)
  .meta({ format: 'platform-id', pattern: '^\\d{1,20}$', example: '175928847299117063' });

/** Leading zeros name the same thing: where an id must be the only one of its kind, they go. */
export const identifyingPlatformId = platformId.transform((value) => BigInt(value).toString());

/** A year of four digits, once the offset is taken off: what ISO 8601 and the database can spell. */
const spellableDate = z
  .date()
  .min(new Date('0001-01-01T00:00:00.000Z'), 'Must not be before the year 1')
  .max(new Date('9999-12-31T23:59:59.999Z'), 'Must not be after the year 9999');

/** On the wire an ISO 8601 UTC time, inside a `Date`. */
export const timestamp = z
  .codec(z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time' }), spellableDate, {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({ example: '2026-01-31T12:00:00.000Z' });

/** Length in characters as people count them, not in UTF-16 units. */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine(
      (value) => [...value].length >= min && [...value].length <= max,
      `Must be ${min} to ${max} characters long`,
    )
    .meta({ minLength: min, maxLength: max });

/** A name or title: 1 to 100 characters, not all of them blank. */
export const name = text(1, 100).refine((value) => value.trim() !== '', 'Must not be blank');

export const secretText = text(1, 512);
export const note = text(0, 500);

export const url = z.url().meta({ format: 'uri', example: 'https://cdn.example.com/picture.png' });

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'Must be an http or https URL' })
  .max(2048)
  .refine((value) => !/[\s\p{Cc}]/u.test(value), 'Must not contain white space')
  .meta({ format: 'uri', example: 'https://example.com/callback' });

const wholeNumber = (max: number, message: string) =>
  z
    .string()
    .regex(/^[1-9]\d*$/, message)
    .transform(Number)
    .refine((value) => value <= max, message);

export const page = wholeNumber(Number.MAX_SAFE_INTEGER, 'Must be a whole number from 1')
  .default(1)
  .meta({
    description: 'Which page, counted from 1.',
    override: { type: 'integer', minimum: 1, default: 1, pattern: undefined },
  });

export const limit = wholeNumber(100, 'Must be a whole number from 1 to 100')
  .default(20)
  .meta({
    description: 'How many entries to a page.',
    override: { type: 'integer', minimum: 1, maximum: 100, default: 20, pattern: undefined },
  });

export const paginationQuery = z.object({ page, limit });
export type PageQuery = z.output<typeof paginationQuery>;

export const pagination = z
  .object({
    page: z.int().describe('The page asked for.'),
    limit: z.int().describe('Entries to a page.'),
    total: z.int().describe('Entries on all pages together.'),
    totalPages: z.int().describe('Pages there are; 0 where the list is empty.'),
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

/** A PUT must change something we know; unknown fields alone are a mistake. */
export const atLeastOneOf = <Shape extends z.ZodRawShape>(fields: z.ZodObject<Shape>) =>
  fields
    .partial()
    .refine(
      (body) => Object.values(body).some((value) => value !== undefined),
      'Name at least one field to change',
    );
