import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  authorizeAs,
  inBrowser,
  waitForHeading,
} from '../../../../test/harness/browser/chromium.ts';
import { useVerificationInBrowser } from '../../../../test/harness/browser/verification.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import {
  attemptsOf,
  membersOf,
  newVerificationServer,
  type VerificationServer,
} from '../../../../test/harness/verification/newcomer.ts';

const { chromium, fixture } = useVerificationInBrowser();

const rolesIn = async ({ guildId }: VerificationServer): Promise<string[]> =>
  (await fixture.simulator.control('GET', `/guilds/${guildId}`)).members[0].roles;

const scopesAskedOn = (page: Page): string | null => new URL(page.url()).searchParams.get('scope');

inBrowser(
  'a newcomer with a real browser visits, chooses, authorizes, proves work and is verified',
  async () => {
    const person = randomPlatformId();
    const server = await newVerificationServer(fixture, { captchaType: 'POW' }, [person]);
    const { page, complaints, close } = await chromium.openWindow();
    await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
    const recovery = page.getByLabel('Let the owner bring me back if the server is lost');
    expect(await recovery.isChecked()).toBe(false);
    await recovery.check();
    await authorizeAs(page, person);
    await waitForHeading(page, 'You are verified');
    await page.getByText('All done').waitFor({ timeout: 20_000 });

    expect(await rolesIn(server)).toEqual([server.roleId]);
    const [member] = await membersOf(server);
    expect(member).toMatchObject({ platformId: person, pullable: true });
    expect(member.fingerprint).toMatch(/^[\w-]{43}$/);
    expect(await attemptsOf(fixture, server)).toMatchObject([{ stage: 'verified' }]);
    // Neither our scripts nor any name violated the pages' content security policy.
    expect(complaints).toEqual([]);
    await close();
  },
  90_000,
);

inBrowser(
  'a newcomer who declines recovery is verified all the same, and the platform is never asked for it',
  async () => {
    const person = randomPlatformId();
    const server = await newVerificationServer(fixture, {}, [person]);
    const { page, complaints, close } = await chromium.openWindow();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${fixture.baseUrl}/verify/${server.id}`);
    await page.getByRole('button', { name: 'Verify me' }).click();
    await page.getByRole('button', { name: 'Authorize' }).waitFor();
    expect(scopesAskedOn(page)).toBe('identify');
    await page.goBack();
    await authorizeAs(page, person);
    await page.getByText('You did not agree to be brought back').waitFor({ timeout: 30_000 });
    await page.getByText('All done').waitFor({ timeout: 20_000 });

    expect(await rolesIn(server)).toEqual([server.roleId]);
    expect(await membersOf(server)).toMatchObject([
      { platformId: person, pullable: false, tokenStatus: 'NONE', consentedAt: null },
    ]);
    expect(asked.some((url) => url.includes('/oauth2/authorize'))).toBe(true);
    expect(asked.filter((url) => url.includes('guilds.join'))).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  },
);
