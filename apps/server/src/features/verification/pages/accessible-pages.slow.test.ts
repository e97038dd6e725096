import { expect } from 'bun:test';
import {
  authorizeAs,
  expectUsable,
  inBrowser,
  waitForHeading,
} from '../../../../test/harness/browser/chromium.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { newVerificationServer } from '../../../../test/harness/verification/newcomer.ts';

const { chromium, fixture } = useVerificationInBrowser();

inBrowser('every page is accessible, light and dark, on a phone and on a desktop', async () => {
  const person = randomPlatformId();
  const name = 'Harbour of the Very Long Name and the Quiet Evenings';
  const server = await newVerificationServer(fixture, { captchaType: 'POW', name }, [person]);
  const globalName = 'Ada of the Lighthouse';
  await fixture.simulator.control('PUT', `/users/${person}`, { username: 'ada', globalName });
  const { page, complaints, close } = await chromium.openWindow();
  const visit = () => page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await visit();
  await expectUsable(page, 'visit');

  // Without its script the page does not go on.
  await page.route('**/pages/check.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  );
  await authorizeAs(page, person);
  await waitForHeading(page, 'One moment');
  await expectUsable(page, 'check');
  await page.unroute('**/pages/check.js');
  await page.reload();
  await page.getByText('All done').waitFor({ timeout: 30_000 });
  await expectUsable(page, 'done');

  const entry = { body: { platformId: person } };
  await server.owner.call('POST', `/api/v1/servers/${server.id}/blacklist`, entry);
  await visit();
  await authorizeAs(page, person);
  await waitForHeading(page, 'You cannot come in');
  await expectUsable(page, 'blocked');
  await page.getByLabel('Tell the owner why they should let you in').fill('  ');
  await page.getByRole('button', { name: 'Send to the owner' }).click();
  await page.getByRole('alert').waitFor();
  await expectUsable(page, 'appeal-refused');
  await page.getByLabel('Tell the owner why they should let you in').fill('I am sorry.');
  await page.getByRole('button', { name: 'Send to the owner' }).click();
  await page.getByText('The owner has your message').waitFor();
  await expectUsable(page, 'appeal-sent');
  expect(complaints).toEqual([]);
  await close();
});

inBrowser('every error page is accessible', async () => {
  const server = await newVerificationServer(fixture, { captchaType: 'POW' });
  const { page, complaints, close } = await chromium.openWindow();
  await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
  await page.getByRole('button', { name: 'Verify me' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await waitForHeading(page, 'You did not agree');
  await expectUsable(page, 'declined');
  await page.reload();
  await waitForHeading(page, 'Please start again');
  await expectUsable(page, 'lost');
  await page.goto(`${fixture.baseUrl}/verify/nowhere`);
  await waitForHeading(page, 'There is no such server here');
  await expectUsable(page, 'no-server');
  expect(complaints).toEqual([]);
  await close();
});
