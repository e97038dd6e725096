import { afterAll, beforeAll } from 'bun:test';
import { startVerificationFixture, type VerificationFixture } from '../verification/fixture.ts';
import { newChromium } from './chromium.ts';

/** The verification pages on a socket, and Chromium: for all tests of the file that calls it. */
export const useVerificationInBrowser = (
  options: Parameters<typeof startVerificationFixture>[0] = {},
) => {
  const chromium = newChromium();
  // Filled in before the first test runs.
  const fixture = {} as VerificationFixture;
  beforeAll(async () => {
    Object.assign(fixture, await startVerificationFixture(options));
  });
  afterAll(async () => {
    await chromium.close();
    await fixture.stop();
  }, 30_000);
  return { chromium, fixture };
};
