import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import before from '../../migrations/job-payloads.json';
import { findPayloadFaults } from './payload-faults.ts';
import { payloadSchemas, schemaOf } from './payload-schemas.ts';

describe('the jobs of this release and of the one before', () => {
  test('can be run by either, whichever queued them', () => {
    expect(Object.keys(before).length).toBeGreaterThan(70);
    expect(findPayloadFaults(before, payloadSchemas())).toEqual([]);
  });
});

describe('a payload', () => {
  const old = { 'test.job': schemaOf(z.object({ id: z.string(), count: z.int() })) };
  const faultsOf = (payload: z.ZodType) =>
    findPayloadFaults(old, { 'test.job': schemaOf(payload) });

  test('may get optional fields', () => {
    const more = { note: z.string().optional(), isLate: z.boolean().default(false) };
    expect(faultsOf(z.object({ id: z.string(), count: z.int(), ...more }))).toEqual([]);
  });

  test.each([
    ['get a field that old code does not write', { id: z.string(), count: z.int(), x: z.int() }],
    ['lose a field that old code needs', { id: z.string() }],
    ['leave out a field that old code needs', { id: z.string(), count: z.int().optional() }],
    ['give a field another meaning', { id: z.string(), count: z.string() }],
  ])('may not %s', (_, shape) => {
    expect(faultsOf(z.object(shape)).length).toBeGreaterThan(0);
  });

  test('may not refuse fields of a later release', () => {
    expect(faultsOf(z.strictObject({ id: z.string(), count: z.int() }))).toHaveLength(1);
  });

  test('of a job that old code may have queued must be known', () => {
    expect(findPayloadFaults(old, {})).toHaveLength(1);
  });
});
