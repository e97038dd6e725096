import { expect, test } from 'bun:test';
import { compileJq } from './jq.ts';

const filtered = async (filter: string, value: unknown) => (await compileJq(filter))(value, false);

test.each([
  ['.[] | .name', [{ name: 'a b ' }, { name: '' }], 'a b \n\n'],
  ['map(.name) | join("\\n")', [{ name: 'a' }, { name: 'b' }], 'a\nb\n'],
  ['.[]', [1, null, { a: [1] }], '1\nnull\n{"a":[1]}\n'],
  ['empty', {}, ''],
  ['.a | test("^H"; "i")', { a: 'harbour' }, 'true\n'],
  ['try error("x") catch .', 1, 'x\n'],
  ['. as {a: $x} | $x', { a: '–港🛟' }, '–港🛟\n'],
])('%s is what jq makes of it', async (filter, value, text) => {
  expect(await filtered(filter, value)).toEqual({ text });
});

test('an error after the first output is told, and the output kept', async () => {
  const { text, failure } = await filtered('.[] | .name', [{ name: 'first' }, 2]);
  expect(text).toBe('first\n');
  expect(failure).toMatchObject({
    exit: 'failure',
    message: '--jq: Cannot index number with string ("name")',
  });
});

test('a mistyped filter is refused without any value', async () => {
  expect(compileJq('.[')).rejects.toMatchObject({ exit: 'usage' });
  expect(compileJq('nme(1)')).rejects.toThrow('nme/1 is not defined');
  // It would never end if it ran.
  await compileJq('repeat(.)');
});

test('a long list does not take longer than its length', async () => {
  const servers = Array.from({ length: 20_000 }, (_, index) => ({ index, name: `Port ${index}` }));
  const apply = await compileJq('length');
  const startedAt = performance.now();
  expect(apply(servers, false).text).toBe('20000\n');
  expect(performance.now() - startedAt).toBeLessThan(3000);
});
