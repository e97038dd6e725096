import { afterEach, describe, expect, test } from 'bun:test';
import { Registry } from 'prom-client';
import { PlatformFailure } from '../failures.ts';
import { createPlatformMetrics } from '../metrics.ts';
import type { ImageRef } from '../port.ts';
import { createImages } from './images.ts';

let stranger: ReturnType<typeof Bun.serve> | undefined;
let calls = 0;
afterEach(async () => {
  await stranger?.stop(true);
  calls = 0;
});

const registry = new Registry();
const metrics = createPlatformMetrics(registry);

const imagesOf = (
  answer: (call: number) => Response | Promise<Response>,
  { timeoutMs = 60_000 } = {},
) => {
  stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer(++calls) });
  return createImages({ cdnUrl: `http://127.0.0.1:${stranger.port}/cdn`, metrics, timeoutMs });
};

const emoji: ImageRef = { kind: 'emoji', emojiId: '1', isAnimated: false };
const drawing: ImageRef = { kind: 'sticker', stickerId: '1', format: 'lottie' };

const failureOf = async (promise: Promise<unknown>): Promise<PlatformFailure> => {
  const error = await promise.then(
    () => new Error('It succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformFailure) return error;
  throw error;
};

const answerWith = (type: string, body: string | Uint8Array<ArrayBuffer> = 'abc') =>
  new Response(body, { headers: { 'Content-Type': type } });

describe('a picture', () => {
  test.each<[ImageRef, string]>([
    [{ kind: 'guildIcon', guildId: '1', hash: 'ab' }, '/icons/1/ab.png'],
    [{ kind: 'guildIcon', guildId: '1', hash: 'a_b' }, '/icons/1/a_b.gif'],
    [{ kind: 'guildBanner', guildId: '1', hash: 'a_b' }, '/banners/1/a_b.gif'],
    [{ kind: 'guildSplash', guildId: '1', hash: 'ab' }, '/splashes/1/ab.png'],
    [{ kind: 'guildDiscoverySplash', guildId: '1', hash: 'ab' }, '/discovery-splashes/1/ab.png'],
    [{ kind: 'roleIcon', roleId: '1', hash: 'ab' }, '/role-icons/1/ab.png'],
    [{ kind: 'userAvatar', userId: '1', hash: 'a_b' }, '/avatars/1/a_b.png'],
    [{ kind: 'emoji', emojiId: '1', isAnimated: false }, '/emojis/1.png'],
    [{ kind: 'emoji', emojiId: '1', isAnimated: true }, '/emojis/1.gif'],
    [{ kind: 'sticker', stickerId: '1', format: 'apng' }, '/stickers/1.png'],
    [{ kind: 'sticker', stickerId: '1', format: 'lottie' }, '/stickers/1.json'],
  ])('%j is found at its place', (image, path) => {
    const images = createImages({ cdnUrl: 'https://cdn.discordapp.com', metrics });
    expect(images.imageUrl(image)).toBe(`https://cdn.discordapp.com${path}`);
  });

  test('of a GIF sticker is on another host of the real platform only', () => {
    const image = { kind: 'sticker', stickerId: '1', format: 'gif' } as const;
    const real = createImages({ cdnUrl: 'https://cdn.discordapp.com', metrics });
    expect(real.imageUrl(image)).toBe('https://media.discordapp.net/stickers/1.gif');
    const own = createImages({ cdnUrl: 'http://127.0.0.1:1/cdn', metrics });
    expect(own.imageUrl(image)).toBe('http://127.0.0.1:1/cdn/stickers/1.gif');
  });

  test('whose id or hash could change the path is not requested', () => {
    const images = imagesOf(() => answerWith('image/png'));
    for (const text of ['../../x', '1/2', '', '@evil.example', '1?']) {
      expect(() => images.imageUrl({ kind: 'roleIcon', roleId: text, hash: 'ab' })).toThrow();
      expect(() => images.imageUrl({ kind: 'roleIcon', roleId: '1', hash: text })).toThrow();
    }
    expect(calls).toBe(0);
  });

  test('is read in its full size, again after a 5xx, and counted without its name', async () => {
    const asked: string[] = [];
    stranger = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        asked.push(new URL(url).pathname + new URL(url).search);
        return asked.length === 1 ? new Response('', { status: 503 }) : answerWith('image/png');
      },
    });
    const images = createImages({ cdnUrl: `http://127.0.0.1:${stranger.port}/cdn`, metrics });
    const image = await images.readImage({ kind: 'guildIcon', guildId: '1', hash: 'feed' });
    expect(image).toEqual({ contentType: 'image/png', bytes: new TextEncoder().encode('abc') });
    expect(asked).toEqual(Array(2).fill('/cdn/icons/1/feed.png?size=4096'));
    const counted = await registry.metrics();
    expect(counted).toContain('{route="GET /cdn/guildIcon",status="200"} 1');
    expect(counted).not.toContain('feed');
  });

  test('may be a Lottie animation only for a Lottie sticker', async () => {
    const images = imagesOf(() => answerWith('application/json; charset=utf-8', '{}'));
    expect((await images.readImage(drawing)).contentType).toBe('application/json');
    expect((await failureOf(images.readImage(emoji))).kind).toBe('badAnswer');
  });

  test('is read with few others at once', async () => {
    let open = 0;
    let most = 0;
    const images = imagesOf(async () => {
      most = Math.max(most, ++open);
      await Bun.sleep(20);
      open -= 1;
      return answerWith('image/png');
    });
    await Promise.all(Array.from({ length: 20 }, () => images.readImage(emoji)));
    expect(most).toBe(4);
    expect(calls).toBe(20);
  });
});

const manyMegabytes = (megabytes: number): ReadableStream => {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent++ >= megabytes) controller.close();
      else controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
};

describe('a hostile platform', () => {
  const png = { 'Content-Type': 'image/png' };
  test.each<[string, () => Response]>([
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302)],
    ['HTML', () => answerWith('text/html', '<html>')],
    ['a picture that could run scripts', () => answerWith('image/svg+xml', '<svg/>')],
    ['no type at all', () => new Response(new Uint8Array(3))],
    ['nothing', () => answerWith('image/png', '')],
    ['20 MB', () => answerWith('image/png', new Uint8Array(20 * 1024 * 1024))],
    ['20 MB that declare no length', () => new Response(manyMegabytes(20), { headers: png })],
  ])('that answers with %s causes a typed failure', async (_, answer) => {
    const failure = await failureOf(imagesOf(answer).readImage(emoji));
    expect(failure.kind).toBe('badAnswer');
    expect(calls).toBe(1);
  });

  test.each([401, 403, 404])('that answers with %i is not asked again', async (status) => {
    const images = imagesOf(() => new Response('', { status }));
    expect(await failureOf(images.readImage(emoji))).toMatchObject({ kind: 'refused', status });
    expect(calls).toBe(1);
  });

  test('that hangs is given up within the time-outs', async () => {
    const images = imagesOf(() => new Promise<Response>(() => undefined), { timeoutMs: 100 });
    expect((await failureOf(images.readImage(emoji))).kind).toBe('unreachable');
    expect(calls).toBe(4);
  });

  test('that hangs in the middle of a picture is given up as well', async () => {
    const begun = () =>
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) });
    const images = imagesOf(() => new Response(begun(), { headers: png }), { timeoutMs: 100 });
    expect((await failureOf(images.readImage(emoji))).kind).toBe('unreachable');
  });

  test('that hangs does not delay an abort of the caller', async () => {
    const images = imagesOf(() => new Promise<Response>(() => undefined), { timeoutMs: 9000 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const reads = Array.from({ length: 9 }, () => images.readImage(emoji, controller.signal));
    const failures = await Promise.all(reads.map(failureOf));
    expect(failures.map(({ kind }) => kind)).toEqual(Array(9).fill('aborted'));
    expect(calls).toBe(4);
  });
});
