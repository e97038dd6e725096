import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { formatRecord } from './record.ts';
import { createStyle } from './style.ts';
import { loadTextWidth } from './text-width.ts';

const style = createStyle(false);

beforeAll(loadTextWidth);

describe('a record', () => {
  test('stands in as many lines as a narrow terminal needs, and loses nothing', () => {
    const record = {
      id: '0b1f7f0e-6a54-4f4c-9f0a-3f4f6a2a9f11',
      description: 'A sentence that is much longer than a narrow terminal has columns.',
      secret: `holdfast_${'k'.repeat(44)}`,
      notes: { lastGoodBackupId: '0b1f7f0e-6a54-4f4c-9f0a-3f4f6a2a9f11' },
    };
    expect(formatRecord(record, { style, columns: 40 })).toBe(
      [
        'ID',
        '  0b1f7f0e-6a54-4f4c-9f0a-3f4f6a2a9f11',
        'DESCRIPTION  A sentence that is much',
        '             longer than a narrow',
        '             terminal has columns.',
        'SECRET',
        `holdfast_${'k'.repeat(44)}`,
        'NOTES',
        '  LAST GOOD BACKUP ID',
        '    0b1f7f0e-6a54-4f4c-9f0a-3f4f6a2a9f11',
      ].join('\n'),
    );
  });

  test('has no line wider than the terminal, unless a single word is', () => {
    const value = fc.oneof(fc.string(), fc.lorem({ maxCount: 20 }), fc.integer(), fc.uuid());
    const record = fc.dictionary(fc.stringMatching(/^[a-z]{1,20}$/), fc.oneof(value, fc.object()));
    fc.assert(
      fc.property(record, fc.integer({ min: 30, max: 120 }), (fields, columns) => {
        const lines = formatRecord(fields, { style, columns }).split('\n');
        const wide = lines.filter((line) => stringWidth(line) > columns);
        expect(wide.filter((line) => line.trim().includes(' '))).toEqual([]);
      }),
    );
  });
});
