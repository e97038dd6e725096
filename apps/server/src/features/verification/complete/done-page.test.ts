import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  startVerificationFixture,
  type VerificationFixture,
} from '../../../../test/harness/verification/fixture.ts';
import { newVerificationServer, walkIn } from '../../../../test/harness/verification/newcomer.ts';

let fixture: VerificationFixture;
beforeAll(async () => {
  fixture = await startVerificationFixture();
});
afterAll(() => fixture.stop());

test('a role is promised and awaited only where the server gives one', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  const firstPage = async () => (await fixture.newBrowser().get(`/verify/${server.id}`)).text;
  expect(await firstPage()).toContain('you get your role');
  const body = { verifiedRoleId: null };
  expect((await server.owner.call('PUT', `/api/v1/servers/${server.id}`, { body })).status).toBe(
    200,
  );
  expect(await firstPage()).not.toContain('role');
  const page = await walkIn(fixture.newBrowser(), server, person);
  expect(page.text).toContain('All done');
  expect(page.text).not.toMatch(/role is|http-equiv="refresh"/);
});

test('the last page stays true: for a day, after a withdrawal, and after the member was removed', async () => {
  const person = randomPlatformId();
  const server = await newVerificationServer(fixture, {}, [person]);
  const browser = fixture.newBrowser();
  await walkIn(browser, server, person, { form: { recover: 'yes' } });
  const done = () => browser.get(`/verify/${server.id}/done`);
  await fixture.db.$client`
    update pending_verifications set expires_at = expires_at - interval '23 hours',
      outcome_at = outcome_at - interval '23 hours'
    where platform_id = ${person}`;
  await fixture.forget();
  expect((await done()).text).toContain('may bring you back');
  await fixture.db.$client`
    update members set consented_at = null where platform_id = ${person}`;
  expect((await done()).text).toContain('You did not agree to be brought back');
  await fixture.db.$client`delete from members where platform_id = ${person}`;
  expect((await done()).location).toBe(`/verify/${server.id}`);
  expect((await browser.get(`/verify/${server.id}`)).text).not.toContain('You are verified here');
});
