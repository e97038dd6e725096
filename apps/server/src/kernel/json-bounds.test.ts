import { describe, expect, test } from 'bun:test';
import { bodyBounds, documentBounds, largeBodyBounds, parseBoundedJson } from './json-bounds.ts';

const parse = (text: string, bounds = bodyBounds) => parseBoundedJson(Buffer.from(text), bounds);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const zeros = (count: number) => `[${Array(count).fill(0).join()}]`;

describe('JSON of a client', () => {
  test.each([64, 65])('%i levels deep is read up to 64', (depth) => {
    expect('value' in parse(nested(depth))).toBe(depth === 64);
  });

  test('a hundred thousand levels deep is refused and not parsed', () => {
    const problem = 'nests values deeper than 64 levels';
    expect(parse(nested(100_000))).toEqual({ problem });
    expect(parse(`{"a":${'{"a":'.repeat(100_000)}`)).toEqual({ problem });
  });

  test('that is refused was not parsed before, whatever it is refused for', () => {
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 201 }, (_, at) => [at, 0])),
    );
    for (const text of [nested(65), zeros(5001), wide]) {
      let values = 0;
      const count = (_: string, value: unknown) => {
        values += 1;
        return value;
      };
      expect(parseBoundedJson(Buffer.from(text), bodyBounds, count)).toHaveProperty('problem');
      expect(values).toBe(0);
    }
  });

  test('with more values than a body can honestly hold is refused', () => {
    const most = Math.floor(bodyBounds.values);
    expect('value' in parse(zeros(most - 2))).toBe(true);
    expect(parse(zeros(most + 1))).toEqual({ problem: 'holds more than 5000 values' });
    expect('value' in parse(zeros(most + 1), largeBodyBounds)).toBe(true);
    expect(parse(zeros(1_000_000), documentBounds)).toEqual({
      problem: 'holds more than 838860 values',
    });
  });

  test('with an object of more than 200 fields is refused, at any depth', () => {
    const wide = (count: number) =>
      `{${Array.from({ length: count }, (_, at) => `"k${at}":{}`).join()}}`;
    const problem = 'holds an object of more than 200 fields';
    const within = [wide(200), `[${wide(200)},${wide(200)}]`, `{"a":${wide(200)},"b":0}`];
    for (const text of within) expect(parse(text)).toEqual({ value: JSON.parse(text) });
    for (const text of [wide(201), `[{"a":[${wide(201)}]}]`]) {
      expect(parse(text, documentBounds)).toEqual({ problem });
    }
  });

  test('may hold brackets, commas and escaped quotes in its texts', () => {
    const texts = ['[['.repeat(200), ',,,\\"{', '\\', '\\\\"', 'ü[{"'];
    const text = JSON.stringify({ texts, [`key${'{'.repeat(100)}`]: texts });
    expect(parse(text)).toEqual({ value: JSON.parse(text) });
    const many = JSON.stringify([',['.repeat(100_000)]);
    expect(parse(many)).toEqual({ value: JSON.parse(many) });
  });

  test('which is none is refused', () => {
    for (const text of ['', '{', '"open', '"\\', '[1,]', ']]]']) {
      expect(parse(text)).toEqual({ problem: 'is not valid JSON' });
    }
    expect(parseBoundedJson(Uint8Array.of(0x22, 0xff, 0x22), bodyBounds)).toEqual({
      problem: 'is not valid JSON',
    });
  });
});
