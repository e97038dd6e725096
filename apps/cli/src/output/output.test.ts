import { describe, expect, test } from 'bun:test';
import { CommandError } from '../exit-codes.ts';
import { failureJson, failureOf, failureText } from './failure.ts';
import { openOutput } from './output.ts';
import { createStyle } from './style.ts';

/** An output, and what it wrote to each stream. */
const open = ({ isTTY, isQuiet = false }: { isTTY: boolean; isQuiet?: boolean }) => {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    isTTY,
    write(text: string) {
      written[name] += text;
    },
  });
  const streams = { stdout: stream('stdout'), stderr: stream('stderr'), env: {} };
  return { output: openOutput(streams, { isQuiet, isColoured: true }), written };
};

describe('into pipes', () => {
  test('what must not go unseen is on standard error; how to go on is not', () => {
    const { output, written } = open({ isTTY: false });
    output.note('delete 3');
    output.hint('Follow it: holdfast watch');
    expect(written).toEqual({ stdout: '', stderr: 'delete 3\n' });
  });

  test('nothing is there if quiet is wanted', () => {
    const { output, written } = open({ isTTY: false, isQuiet: true });
    output.note('delete 3');
    expect(written.stderr).toBe('');
  });
});

test('a name that nobody cleaned does nothing in a terminal; our own colours stay', async () => {
  const { output, written } = open({ isTTY: true });
  const name = 'Evil\u001b[2J\u001b]0;title\u0007\u202e';
  await output.show({}, () => `${output.style.green('Signed in')} as ${name}\nand a line`);
  output.note(name);
  const cleaned = 'Evil\ufffd[2J\ufffd]0;title\ufffd\ufffd';
  expect(written.stdout).toBe(`\u001b[32mSigned in\u001b[0m as ${cleaned}\nand a line\n`);
  expect(written.stderr).toBe(`${cleaned}\n`);
});

test('a terminal that does not know its width is taken for one of 80 columns', () => {
  const stream = { isTTY: true, columns: 0, write: () => undefined };
  const streams = { stdout: stream, stderr: stream, env: {} };
  expect(openOutput(streams, { isQuiet: false, isColoured: false }).columns).toBe(80);
});

test('differences that were looked for are no error', () => {
  const failure = failureOf(new CommandError('drift', '2 differences'), String);
  expect(failureText(failure, createStyle(false), 80)).toBe('drift: 2 differences');
  expect(JSON.parse(failureJson(failure))).toEqual({
    ...{ drift: '2 differences', code: 'drift', exitCode: 7 },
  });
});
