import { z } from 'zod';

/**
 * The platform adds values to its enumerations, and bits to its flags, without a new version of its API.
 * So these check the type of a value, and not whether the value is a known one.
 */
export const openNumber = <Value extends number>() =>
  z.custom<Value>(Number.isInteger, 'Not an integer');

export const openText = <Value extends string>() =>
  z.custom<Value>((value) => typeof value === 'string', 'Not a text');

/** Where null is documented, the platform sometimes leaves the field out: both become null. */
export const orNull = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullish().transform((value) => value ?? null);

/** A bit set of permissions, too large for a JavaScript number. */
export const permissionBits = z.string().regex(/^\d+$/);
