import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { newId } from '../../kernel/ids.ts';
import { walkOn } from './walk-on.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const { signal } = new AbortController();

let name: string;
let ids: string[];
beforeEach(() => {
  name = `test ${newId()}`;
  ids = Array.from({ length: 10 }, newId);
});

/** One run, two at a time; the places of those that it looked at. */
const run = async (most: number, failAt?: number): Promise<number[]> => {
  const looked: number[] = [];
  const look = async (after: string) => {
    const some = ids.filter((id) => id > after).slice(0, 2);
    looked.push(...some.map((id) => ids.indexOf(id)));
    if (failAt !== undefined && looked.includes(failAt)) throw new Error('Stopped');
    return { last: some.length < 2 ? undefined : some.at(-1), seen: some.length };
  };
  await walkOn(service.db, { name, most, signal, look }).catch(() => {});
  return looked;
};

describe('a job that goes through much', () => {
  test('looks at so many in a run, and goes on there in the next one', async () => {
    expect(await run(4)).toEqual([0, 1, 2, 3]);
    expect(await run(4)).toEqual([4, 5, 6, 7]);
    expect(await run(4)).toEqual([8, 9, 0, 1]);
  });

  test('looks at each once in a run that has time for all, wherever it begins', async () => {
    expect(await run(100)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await run(4);
    expect((await run(100)).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('that is stopped looks again at what it was looking at', async () => {
    expect(await run(100, 5)).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await run(4)).slice(0, 2)).toEqual([4, 5]);
  });

  test('ends where there is nothing', async () => {
    ids = [];
    expect(await run(4)).toEqual([]);
    expect(await run(4)).toEqual([]);
  });
});
