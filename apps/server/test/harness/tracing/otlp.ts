import { join } from 'node:path';
import protobuf from 'protobufjs';
import { z } from 'zod';

const request = (await protobuf.load(join(import.meta.dir, 'otlp.proto'))).lookupType(
  'ExportTraceServiceRequest',
);

const hexOf = (bytes: number) =>
  z
    .instanceof(Uint8Array)
    .refine(({ length }) => length === bytes)
    .transform((id) => id.toHex());

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const attributes = z
  .array(
    z.object({
      key: z.string().min(1),
      // One of them, as the protocol demands.
      value: z.record(z.string(), scalar).refine((value) => Object.keys(value).length === 1),
    }),
  )
  .default([])
  .transform((pairs) =>
    Object.fromEntries(
      pairs.map(({ key, value: { intValue, ...other } }) => [
        key,
        intValue === undefined ? Object.values(other)[0] : Number(intValue),
      ]),
    ),
  );

const span = z
  .object({
    traceId: hexOf(16),
    spanId: hexOf(8),
    parentSpanId: hexOf(8).optional(),
    name: z.string().min(1),
    kind: z.enum(['SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']),
    startTimeUnixNano: z.string().transform(BigInt),
    endTimeUnixNano: z.string().transform(BigInt),
    attributes,
    links: z.array(z.object({ traceId: hexOf(16), spanId: hexOf(8) })).default([]),
    status: z.object({
      code: z.enum(['UNSET', 'OK', 'ERROR']).optional(),
      message: z.string().optional(),
    }),
  })
  .refine(({ startTimeUnixNano: start, endTimeUnixNano: end }) => start > 0n && start <= end);

const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({ scope: z.object({ name: z.string() }), spans: z.array(span) }),
      ),
    }),
  ),
});

export type ReceivedSpan = z.output<typeof span> & { resource: Record<string, unknown> };

/** The spans of one export; throws where it is not what the protocol says. */
export const decodeSpans = (bytes: Uint8Array): ReceivedSpan[] => {
  const message = request.toObject(request.decode(bytes), { enums: String, longs: String });
  return exported
    .parse(message)
    .resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((one) => ({ ...one, resource: resource.attributes })),
      ),
    );
};
