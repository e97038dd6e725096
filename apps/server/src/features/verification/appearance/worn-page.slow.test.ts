import { afterAll, beforeAll, expect } from 'bun:test';
import sharp from 'sharp';
import { createServer } from '../../../../test/harness/bots-and-servers.ts';
import { expectUsable, inBrowser, newChromium } from '../../../../test/harness/browser/chromium.ts';
import { formWith } from '../../../../test/harness/endpoints/sample-records.ts';
import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../../../test/harness/service.ts';

const chromium = newChromium();
let service: TestService;
let listening: ReturnType<TestService['listen']>;
beforeAll(async () => {
  service = await startTestService();
  listening = service.listen();
});
afterAll(async () => {
  await chromium.close();
  await listening.stop();
  await service.stop();
});

const upload = async (owner: Tenant, picture: Uint8Array): Promise<string> => {
  const raw = formWith(new File([new Uint8Array(picture)], 'drawing.png'));
  return (await owner.call('POST', '/api/v1/uploads', { raw })).body.data.id;
};

const logo = () =>
  sharp({ create: { width: 300, height: 120, channels: 3, background: '#8a1c4a' } })
    .png()
    .toBuffer();

/** Stripes in black and yellow, on which no text could be read. */
const stripes = () => {
  const side = 400;
  const pixels = Array.from({ length: side * side }, (_, at) =>
    (Math.floor(at / side) + (at % side)) % 40 < 20 ? [17, 17, 17] : [245, 209, 66],
  );
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(Buffer.from(pixels.flat()), { raw }).png().toBuffer();
};

// The lightest grey that the contract accepts, and a colour that is dark on a dark card.
for (const accent of ['#767676', '#3b0a57']) {
  inBrowser(`a page that wears ${accent}, a logo and a loud background is accessible`, async () => {
    const owner = await service.newTenant();
    const id = await createServer(owner, { name: 'Harbour of the Quiet Evenings' });
    const body = {
      ...{ title: 'Welcome to the harbour, whoever you are', accent },
      welcome: 'Good to see you.\nRead the rules before you come in.',
      logoUploadId: await upload(owner, await logo()),
      backgroundUploadId: await upload(owner, await stripes()),
    };
    const reply = await owner.call('PUT', `/api/v1/servers/${id}/verify-page`, { body });
    expect(reply.status).toBe(200);
    const { page, complaints, close } = await chromium.openWindow();
    await page.goto(`${listening.url}/verify/${id}`);
    await expectUsable(page, `worn-${accent.slice(1)}`);
    const loaded = "document.querySelector('.server img').naturalWidth";
    expect(await page.evaluate<number>(loaded)).toBe(300);
    expect(complaints).toEqual([]);
    await close();
  });
}
