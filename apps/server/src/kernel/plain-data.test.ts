import { describe, expect, test } from 'bun:test';
import { mapPlainData, walkPlainData } from './plain-data.ts';

const deep = (levels: number): unknown => {
  let value: unknown = 'bottom';
  for (let depth = 0; depth < levels; depth += 1) value = depth % 2 === 0 ? [value] : { a: value };
  return value;
};
const textsIn = (root: unknown): string[] => {
  const texts: string[] = [];
  walkPlainData(root, (value) => {
    if (typeof value === 'string') texts.push(value);
    return true;
  });
  return texts;
};

describe('a walk over plain data', () => {
  test('visits values in their order, and not what is left out', () => {
    expect(textsIn({ a: ['1', { b: '2' }], c: '3' })).toEqual(['1', '2', '3']);
    const keys: string[] = [];
    walkPlainData({ a: { b: { c: 1 } }, d: [2] }, (_, key) => keys.push(key) > 0 && key !== 'b');
    expect(keys).toEqual(['', 'a', 'b', 'd', '']);
  });

  test('reaches the bottom of a hundred thousand levels', () => {
    expect(textsIn(deep(100_000))).toEqual(['bottom']);
    const changed = mapPlainData(deep(100_000), (value) =>
      typeof value === 'string' ? { to: 'ground' } : undefined,
    );
    expect(textsIn(changed)).toEqual(['ground']);
  });

  test('copies what it changes, and leaves the original alone', () => {
    const original = { list: ['a', ['a', 1, null]], ['__proto__']: { text: 'a' }, none: undefined };
    Object.freeze(original);
    const copy = mapPlainData(original, (value) => {
      if (value === 'a') return { to: 'b' };
      return Array.isArray(value) && value.includes(1)
        ? { to: value.filter((one) => one !== null), isOpen: true }
        : undefined;
    });
    const text = '{"list":["b",["b",1]],"__proto__":{"text":"b"}}';
    expect(JSON.stringify(copy)).toBe(text);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(original.list).toEqual(['a', ['a', 1, null]]);
  });
});
