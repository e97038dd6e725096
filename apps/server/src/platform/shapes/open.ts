import { z } from 'zod';

/**
 * The platform adds values to its enumerations, and bits to its flags, without a new version of its
 * API. So the kind of value is checked, and not whether it is one that was known when this was written.
 */
export const openNumber = <Value extends number>() =>
  z.custom<Value>(Number.isInteger, 'Not an integer');

export const openText = <Value extends string>() =>
  z.custom<Value>((value) => typeof value === 'string', 'Not a text');

/** Where the platform promises null it has at times left the field out: to us that is the same. */
export const orNull = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? null);

/** A set of permissions: a number too large for a JavaScript number. */
export const permissionBits = z.string().regex(/^\d+$/);
