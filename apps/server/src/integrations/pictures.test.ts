import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { encodePicture } from './pictures.ts';

const picture = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#b02a37' } })
    .png()
    .toBuffer();

test('the picture of one account does not wait for all of another', async () => {
  const order: string[] = [];
  const encode = async (accountId: string, file: Uint8Array) => {
    await encodePicture(accountId, file);
    order.push(accountId);
  };
  const [large, small] = [await picture(600), await picture(8)];
  const flood = Array.from({ length: 6 }, () => encode('flood', large));
  await Promise.all([...flood, encode('other', small)]);
  expect(order.indexOf('other')).toBe(1);
});

test('what waits for longer than a request may is told to come again', async () => {
  const large = await picture(4000);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => encodePicture(`account ${index}`, large)),
  );
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason.name] : [],
  );
  expect(new Set(reasons)).toEqual(new Set(['PictureTooSlow']));
});
