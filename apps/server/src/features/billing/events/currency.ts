import { z } from 'zod';

/** A currency as providers write it. Only ASCII letters have capitals here: `uſd` is not USD. */
export const currencyCode = z
  .string()
  .regex(/^[A-Za-z0-9]{2,10}$/)
  .transform((text) => text.toUpperCase());
