import { expect, test } from 'bun:test';
import { wrap } from './wrap.ts';

test('a sentence is broken between words, and what follows is indented', () => {
  expect(wrap('one two three', 8)).toBe('one two\n  three');
});

test('a command is never broken, since it is copied', () => {
  const line = 'Undo it: holdfast restore 01a1ec77 01a1ec78';
  expect(wrap(line, 60)).toBe(line);
  expect(wrap(line, 30)).toBe('Undo it:\n  holdfast restore 01a1ec77 01a1ec78');
});
