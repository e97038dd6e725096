import { expect, test } from 'bun:test';
import { toCsv } from './csv.ts';

const linesOf = (csv: string): string[] => csv.replace('\uFEFF', '').split('\r\n').slice(0, -1);

test('commas, quotes and line breaks stay within their cell', () => {
  expect(linesOf(toCsv(['a', 'b'], [['x, "y"', null]]))).toEqual(['"a","b"', '"x, ""y""",']);
  expect(toCsv(['a'], [['one\ntwo']])).toBe('\uFEFF"a"\r\n"one\ntwo"\r\n');
});

test.each(['=HYPERLINK("http://x")', '+1', '-1+cmd', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1'])(
  'no spreadsheet takes %j for a formula',
  (name) => {
    const cell = toCsv(['name'], [[name]])
      .replace('\uFEFF"name"\r\n', '')
      .slice(1);
    expect(cell.startsWith("'")).toBe(true);
  },
);

test('numbers and harmless names stay as they are', () => {
  expect(linesOf(toCsv(['n'], [[-5], ['a=b'], [true]]))).toEqual([
    '"n"',
    '"-5"',
    '"a=b"',
    '"true"',
  ]);
});
