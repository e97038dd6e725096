import { describe, expect, test } from 'bun:test';
import { ageOf, isHeldAt, nameKeyOf, type Signs, scoreOf } from './score-newcomer.ts';
import { findWaveStart } from './wave.ts';

const threshold = { joins: 3, perSeconds: 10 };

describe('a wave begins with the first of so many joins within so many seconds', () => {
  test.each([
    [[], undefined],
    [[0, 1], undefined],
    [[0, 5000, 9999], 0],
    [[0, 5000, 10_000], undefined],
    [[0, 20_000, 25_000, 29_000, 29_100], 20_000],
    [[7, 7, 7], 7],
  ])('%p: %p', (times, start) => expect(findWaveStart(times, threshold)).toBe(start));

  test('also where one join is enough', () => {
    expect(findWaveStart([], { joins: 1, perSeconds: 1 })).toBeUndefined();
    expect(findWaveStart([9], { joins: 1, perSeconds: 1 })).toBe(9);
  });
});

describe('names of one form have one key', () => {
  test.each([
    [['raider_4821', 'Raider-77', 'r41der.9', 'RÀIDER', 'ｒａｉｄｅｒ01'], 'raider'],
    [['free nitro 1', 'freenitro', 'fr33_n1tro_x'], 'freeni'],
    [['4821', '9377'], '~####'],
    [['x1', 'y2'], '~a#'],
  ])('%p: %p', (names, key) => {
    expect(new Set(names.map(nameKeyOf))).toEqual(new Set([key]));
  });

  test('and honest ones their own', () => {
    const names = [
      'marlene',
      'otto.k',
      'sailor_jim',
      'Ingrid92',
      'kapitän',
      'wavewatcher',
      '夜の海',
    ];
    expect(new Set(names.map(nameKeyOf)).size).toBe(names.length);
    expect(nameKeyOf('')).toBe('~');
    expect(nameKeyOf('\u{1F600}'.repeat(400)).length).toBeLessThan(80);
  });

  test('a hundred thousand numbered ones have the same', () => {
    const keys = new Set(Array.from({ length: 100_000 }, (_, i) => nameKeyOf(`raider_${i}`)));
    expect(keys).toEqual(new Set(['raider']));
  });
});

const now = new Date('2026-07-01T00:00:00Z');
const idOfAge = (days: number): string =>
  String(BigInt(now.getTime() - days * 86_400_000 - 1_420_070_400_000) << 22n);

test('the age of an account is that at its join, and what has no date is old', () => {
  expect(ageOf(idOfAge(2.9), now, 3)).toBe('young');
  expect(ageOf(idOfAge(3), now, 3)).toBe('ratherYoung');
  expect(ageOf(idOfAge(29), now, 3)).toBe('ratherYoung');
  expect(ageOf(idOfAge(30), now, 3)).toBe('old');
  expect(ageOf('no id', now, 3)).toBe('old');
});

describe('who is held', () => {
  const signs: Signs = { age: 'old', hasPicture: true, isAlike: false };
  test.each<[Partial<Signs>, boolean]>([
    [{ age: 'young' }, true],
    [{ age: 'young', hasPicture: false, isAlike: true }, true],
    [{ age: 'ratherYoung' }, false],
    [{ age: 'ratherYoung', hasPicture: false }, false],
    [{ age: 'ratherYoung', isAlike: true }, true],
    [{}, false],
    [{ hasPicture: false }, false],
    [{ isAlike: true }, false],
    [{ isAlike: true, hasPicture: false }, true],
  ])('%p: %p', (some, isHeld) => expect(isHeldAt(scoreOf({ ...signs, ...some }))).toBe(isHeld));
});
