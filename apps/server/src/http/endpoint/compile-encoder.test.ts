import { describe, expect, test } from 'bun:test';
import { endpoints, responseBody, timestamp } from '@holdfast/contract';
import { z } from 'zod';
import { compileEncoder } from './compile-encoder.ts';

const record = z.object({
  id: z.string(),
  at: timestamp,
  endedAt: timestamp.nullable(),
  inner: z.object({ count: z.int() }),
  list: z.array(z.object({ name: z.string() })),
  changes: z.record(z.string(), z.unknown()),
  reason: z.string().optional(),
  note: z.object({ text: z.string() }).optional(),
  shape: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.int() }),
    z.object({ kind: z.enum(['square', 'cube']), side: z.int() }),
  ]),
});
const row = {
  id: 'a',
  at: new Date(0),
  endedAt: null,
  inner: { count: 1, secret: 'x' },
  list: [{ name: 'n', secret: 'x' }],
  changes: { anything: ['goes'] },
  note: { text: 't', secret: 'x' },
  shape: { kind: 'cube' as const, side: 1, radius: 2, secret: 'x' },
  secret: 'x',
};

describe('an encoder', () => {
  test('drops every field that the schema does not name', () => {
    const encoded = compileEncoder(record)(row);
    expect(JSON.stringify(encoded)).not.toContain('secret');
  });

  test('encodes a row as the schema itself would', () => {
    expect(compileEncoder(record)(row)).toEqual(z.encode(record, row));
  });

  test('fails on an invalid row instead of sending half an answer', () => {
    expect(() => compileEncoder(record)(undefined)).toThrow('object');
    expect(() => compileEncoder(record)({ ...row, list: null })).toThrow('list');
    expect(() => compileEncoder(record)({ ...row, at: undefined })).toThrow('lacks at');
    expect(() => compileEncoder(record)({ ...row, at: 'now' })).toThrow('time');
    const shape = { kind: 'line' };
    expect(() => compileEncoder(record)({ ...row, shape })).toThrow('no known kind');
  });

  test('supports every kind of schema in the contract’s answers', () => {
    const known = new Set([
      ...['object', 'array', 'nullable', 'pipe', 'string', 'number', 'boolean', 'enum'],
      // Sent as they are: a union may hold only plain values, which name no field of a row.
      ...['literal', 'record', 'optional', 'union', 'unknown'],
    ]);
    const kinds = new Set<string>();
    const walk = (schema: z.core.$ZodType): void => {
      kinds.add(schema._zod.def.type);
      if (schema instanceof z.ZodObject) Object.values(schema.shape).forEach(walk);
      if (schema instanceof z.ZodArray) walk(schema.element);
      if (schema instanceof z.ZodNullable) walk(schema.unwrap());
      if (schema instanceof z.ZodOptional) walk(schema.unwrap());
      if (schema instanceof z.ZodDiscriminatedUnion) schema.options.forEach(walk);
      else if (schema instanceof z.ZodUnion) {
        for (const option of schema.options) expect(option).not.toBeInstanceOf(z.ZodObject);
      }
    };
    for (const entry of Object.values(endpoints)) walk(responseBody(entry));
    expect([...kinds].filter((kind) => !known.has(kind))).toEqual([]);
  });
});
