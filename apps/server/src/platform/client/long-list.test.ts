import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import { parseLongList } from './long-list.ts';

const anything = z.array(z.json());

describe('a long list', () => {
  test('is what its schema makes of it as a whole, whatever its entries', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.boolean(), async (list, isSpaced) => {
        const text = JSON.stringify(list, null, isSpaced ? 1 : 0);
        expect(await parseLongList(text, anything)).toEqual(anything.safeParse(JSON.parse(text)));
      }),
    ));

  test.each([
    '',
    '{}',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,]',
    '[1,,2]',
    '[{"a":1]]',
    '[1}',
    '[1]2',
    '["a]',
    'x[1]',
  ])('%p is none', async (text) => {
    await expect(parseLongList(text, anything)).rejects.toThrow(SyntaxError);
  });

  test('of which one entry does not fit is refused', async () => {
    expect((await parseLongList('[1,"2"]', z.array(z.number()))).success).toBe(false);
  });
});
