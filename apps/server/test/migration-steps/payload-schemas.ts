import { z } from 'zod';
import { jobDefinitions } from '../../src/main/jobs.ts';
import type { PayloadSchema } from './payload-faults.ts';

/** What a job may be queued with, as JSON Schema. */
export const schemaOf = (payload: z.ZodType): PayloadSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(payload, { io: 'input' });
  return schema;
};

/** The payloads of this version's jobs, by name. */
export const payloadSchemas = (): Record<string, PayloadSchema> =>
  Object.fromEntries(
    jobDefinitions
      .map(({ name, payload }): [string, PayloadSchema] => [name, schemaOf(payload)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
