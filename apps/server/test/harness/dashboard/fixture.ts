import { dashboardApiPrefix } from '@holdfast/contract';
import { TOTP } from 'otpauth';
import { openBrowser, usualBaseUrl } from '../erasure/people.ts';
import { randomPlatformId, startTestService } from '../service.ts';

type ServiceOptions = NonNullable<Parameters<typeof startTestService>[0]>;

/** The whole application as browsers see it, over a clock that can be moved on. */
export const startDashboardFixture = async (options: ServiceOptions = {}) => {
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const service = await startTestService({ clock, ...options });
  return {
    service,
    async send(path: string, { method = 'GET', body, headers }: RequestInit = {}) {
      const { text, ...answer } = await service.call(method, path, {
        ...(body && { raw: body }),
        headers: Object.fromEntries(new Headers(headers)),
      });
      return new Response(text === '' ? null : text, answer);
    },
    /** A new code: moves the clock on by half a minute. */
    nextCode(secret: string): string {
      aheadMs += 30_000;
      return new TOTP({ secret }).generate({ timestamp: clock.now().getTime() });
    },
  };
};

export type DashboardFixture = Awaited<ReturnType<typeof startDashboardFixture>>;

type Answer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
};

type Call = { body?: unknown; origin?: string | null };

/** A browser that can call the dashboard's API, as a page of ours unless another origin is said. */
export const openDashboard = (fixture: Pick<DashboardFixture, 'send'>) => {
  const browser = openBrowser(fixture);
  return {
    ...browser,
    async call(method: string, path: string, { body, origin = usualBaseUrl }: Call = {}) {
      const isJson = body !== undefined && !(body instanceof FormData);
      const answer = await browser.go(`${dashboardApiPrefix}${path}`, {
        method,
        ...(body instanceof FormData && { body }),
        ...(isJson && { body: JSON.stringify(body) }),
        headers: {
          ...(isJson && { 'content-type': 'application/json' }),
          ...(origin !== null && { origin }),
        },
      });
      const text = await answer.text();
      const { status, headers } = answer;
      const read: Answer = { status, headers, body: text === '' ? undefined : JSON.parse(text) };
      return read;
    },
  };
};

export type DashboardBrowser = ReturnType<typeof openDashboard>;

/** Somebody who has signed in to the dashboard, with an account from then on. */
export const signInToDashboard = async (
  fixture: Pick<DashboardFixture, 'send'>,
  platformId = randomPlatformId(),
) => {
  const browser = openDashboard(fixture);
  await browser.signIn(platformId, '/dashboard');
  const { body } = await browser.call('GET', '/account');
  return { browser, platformId, accountId: String(body.data.id) };
};

/** Switches the second factor on, as the account page does. */
export const setUpSecondFactor = async (fixture: DashboardFixture, browser: DashboardBrowser) => {
  const begun = await browser.call('POST', '/second-factor');
  const secret: string = begun.body.data.secret;
  const code = fixture.nextCode(secret);
  const done = await browser.call('PUT', '/second-factor', { body: { code } });
  if (done.status !== 200) throw new Error(`No second factor: ${JSON.stringify(done.body)}`);
  const recoveryCodes: string[] = done.body.data.recoveryCodes;
  return { secret, code, recoveryCodes };
};
