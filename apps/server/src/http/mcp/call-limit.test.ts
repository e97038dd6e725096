import { expect, test } from 'bun:test';
import { createCallLimit } from './call-limit.ts';

/** An answer whose body goes on until `end`, or until nobody reads it any more. */
const openAnswer = () => {
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const answer = async () => new Response(pipe.readable);
  return { answer, end: () => pipe.writable.close() };
};
const empty = async () => new Response(null, { status: 202 });

test('an account has as many calls under way as allowed, and others have theirs', async () => {
  const limit = createCallLimit(2);
  const first = openAnswer();
  const sent = await limit('a', first.answer);
  const abandoned = await limit('a', openAnswer().answer);
  await expect(limit('a', empty)).rejects.toThrow('Rate limit');
  expect((await limit('b', empty)).status).toBe(202);

  await Promise.all([sent.text(), first.end()]);
  expect((await limit('a', empty)).status).toBe(202);
  const third = openAnswer();
  const again = await limit('a', third.answer);
  await expect(limit('a', empty)).rejects.toThrow('Rate limit');

  await abandoned.body?.cancel();
  expect((await limit('a', empty)).status).toBe(202);
  await Promise.all([again.text(), third.end()]);
});

test('what a call has begun counts, also when nobody waits for the answer any more', async () => {
  const limit = createCallLimit(1);
  const work = Promise.withResolvers<void>();
  const later = Promise.withResolvers<void>();
  const { answer } = openAnswer();
  const given = await limit('a', (hold) => {
    void hold(work.promise).then(() => hold(later.promise));
    return answer();
  });
  await given.body?.cancel();
  await expect(limit('a', empty)).rejects.toThrow('Rate limit');
  work.resolve();
  await Bun.sleep(0);
  await expect(limit('a', empty)).rejects.toThrow('Rate limit');
  later.resolve();
  await Bun.sleep(0);
  expect((await limit('a', empty)).status).toBe(202);
});

test('a call that fails is over', async () => {
  const limit = createCallLimit(1);
  const fail = async () => {
    throw new Error('broken');
  };
  for (let repeat = 0; repeat < 3; repeat++)
    await expect(limit('a', fail)).rejects.toThrow('broken');
  expect((await limit('a', empty)).status).toBe(202);
});
