import { afterAll, beforeAll, expect } from 'bun:test';
import { dashboardApiPrefix } from '@holdfast/contract';
import { TOTP } from 'otpauth';
import { inBrowser, newChromium, type Window } from '../../harness/browser/chromium.ts';
import { signIn } from '../../harness/browser/dashboard.ts';
import { demoClient } from '../../harness/dashboard/demo-content.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import { connectSql, request, stopServices } from '../../harness/running-service.ts';
import { randomPlatformId } from '../../harness/service.ts';

const chromium = newChromium();
let service: LocalService;
let owner: Window;
/** A page that the owner is lured to. Of the same site by the browser's rules, so that cookies go along. */
let lure: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  service = await startLocalService();
  lure = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(lurePage(service.url), { headers: { 'content-type': 'text/html' } }),
  });
  owner = await chromium.openWindow();
  await signIn(owner.page, service);
  await owner.page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
});
afterAll(async () => {
  await lure?.stop(true);
  await chromium.close();
  await stopServices();
});

const lurePage = (url: string): string => `<!doctype html><title>A lure</title>
<form method="post" action="${url}/logout"><button>Win a prize</button></form>
<iframe src="${url}/dashboard"></iframe>`;

const openLure = async () => {
  const page = await owner.page.context().newPage();
  await page.goto(`http://localhost:${lure.port}/`);
  return page;
};

const sessionOf = async ({ page }: Window): Promise<string> => {
  const cookies = await page.context().cookies(service.url);
  return cookies.find(({ name }) => name === '__Host-session')?.value ?? '';
};

const askAs = (session: string, headers: Record<string, string> = {}) =>
  request(service.url, 'GET', `${dashboardApiPrefix}/account`, {
    headers: { cookie: `__Host-session=${session}`, ...headers },
  });

inBrowser('no other page can show the dashboard in a frame', async () => {
  const page = await openLure();
  const frame = page.frames()[1];
  expect(frame?.url()).toStartWith('chrome-error:');
  expect(
    (await request(service.url, 'GET', '/dashboard')).headers.get('content-security-policy'),
  ).toContain("frame-ancestors 'none'");
  await page.close();
});

inBrowser('no other page can make a change with the owner’s cookie', async () => {
  const page = await openLure();
  const statuses: number[] = [];
  page.on('response', (response) => statuses.push(response.status()));
  const send = (method: string, path: string) =>
    page.evaluate(
      ([url, how]) =>
        fetch(url ?? '', {
          method: how,
          credentials: 'include',
          mode: 'no-cors',
          headers: { 'content-type': 'text/plain' },
          body: '{"name":"theirs","scopes":["*"]}',
        }).then(
          () => 'answered',
          () => 'kept from asking',
        ),
      [`${service.url}${dashboardApiPrefix}${path}`, method] as const,
    );
  expect(await send('POST', '/keys')).toBe('answered');
  // Methods that a form cannot send are asked about first, and nobody answers for other sites.
  expect(await send('DELETE', '/sessions')).toBe('kept from asking');
  expect(statuses).toContain(403);
  await page.getByRole('button', { name: 'Win a prize' }).click();
  await page.waitForURL(`${service.url}/logout`);
  expect(await page.locator('body').innerText()).toContain('The request was refused');
  expect((await askAs(await sessionOf(owner))).status).toBe(200);
  const keys = await owner.page.evaluate(
    async (url) => (await (await fetch(url)).json()).data.map(({ name }: { name: string }) => name),
    `${service.url}${dashboardApiPrefix}/keys`,
  );
  expect(keys).toEqual(['demo']);
  await page.close();
});

inBrowser('signing in leads nowhere but here, whatever it is told', async () => {
  const window = await chromium.openWindow();
  for (const next of ['//evil.example', `http://localhost:${lure.port}/`, '/\\evil.example']) {
    await signIn(window.page, service, { next });
    await window.page.waitForURL(`${service.url}/me`);
  }
  await window.close();
});

inBrowser(
  'a session of before signing in, or of before signing out, is worth nothing',
  async () => {
    const window = await chromium.openWindow();
    const enter = async (): Promise<string> => {
      await signIn(window.page, service);
      await window.page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor();
      return sessionOf(window);
    };
    const [before, now] = [await enter(), await enter()];
    expect(now).not.toBe(before);
    expect((await askAs(before)).status).toBe(401);
    expect((await askAs(now)).status).toBe(200);
    expect((await askAs('', { authorization: `Bearer ${now}` })).status).toBe(401);

    await window.page.getByRole('button', { name: 'Your account' }).click();
    await window.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await window.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect((await askAs(now)).status).toBe(401);
    await window.close();
  },
);

/** As two minutes later: no code is fresh any more. */
const endConfirmation = async (): Promise<void> => {
  const sql = new Bun.SQL(service.databaseUrl);
  await sql`update sessions set confirmed_at = confirmed_at - interval '2 minutes'`;
  await sql.close();
};

type SecondFactorCall = { method: string; body?: { code: string } };

inBrowser('whoever sits down at an open session weakens nothing without a code', async () => {
  const { page } = owner;
  const callSecondFactor = (call: SecondFactorCall) =>
    page.evaluate(
      async ([url, { method, body }]) => {
        const headers = { 'content-type': 'application/json' };
        const sent = { method, ...(body && { headers, body: JSON.stringify(body) }) };
        return (await (await fetch(url, sent)).json()).data;
      },
      [`${service.url}${dashboardApiPrefix}/second-factor`, call] as const,
    );
  const { secret } = await callSecondFactor({ method: 'POST' });
  const body = { code: new TOTP({ secret }).generate() };
  const [recoveryCode] = (await callSecondFactor({ method: 'PUT', body })).recoveryCodes;
  await endConfirmation();

  await page.goto(`${service.url}/dashboard/servers`);
  await page
    .getByRole('link', { name: /Harbour Lights/ })
    .first()
    .click();
  await page.waitForURL(/servers\/[0-9a-f-]{36}/);
  await page.goto(`${page.url().replace(/(servers\/[0-9a-f-]{36}).*/, '$1')}/whitelist`);
  const addRule = async () => {
    await page.getByLabel('Platform id of the person').fill('42');
    await page.getByRole('button', { name: 'Add the rule' }).click();
  };
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
  await addRule();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Confirm this with a code of your second factor.').waitFor();
  await page.getByText('No rules yet').waitFor();
  await addRule();
  await dialog.getByLabel('Code of your authenticator').fill('000000');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByText('This code is wrong').waitFor();
  await dialog.getByLabel('Code of your authenticator').fill(recoveryCode);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: '1 rule', exact: true }).waitFor();
});

/** What one server has under its own name, in each of the lists that its pages show. */
const fillServer = async (serverId: string, marker: string): Promise<void> => {
  const holdfast = demoClient(service);
  const params = { id: serverId };
  const rule = { type: 'COUNTRY', value: 'AQ', note: marker } as const;
  await holdfast.createFirewallRule({ params, body: rule });
  await holdfast.createWhitelistRule({ params, body: rule });
  await holdfast.createBackup({ params, body: { name: marker } });
  const sql = connectSql(service.databaseUrl);
  await sql`insert into appeals (id, account_id, server_id, platform_id, username, reason, message)
    select ${crypto.randomUUID()}, account_id, id, '7', ${marker}, 'VPN', 'My school'
    from servers where id = ${serverId}`;
  await sql`update members set username = ${marker} where server_id = ${serverId}`;
};

inBrowser('what one server has is never shown on the pages of another', async () => {
  const marker = 'only-of-the-first';
  const holdfast = demoClient(service);
  const [first] = (await holdfast.listServers()).data;
  if (!first) throw new Error('The demo has no server');
  const customBotId = (await holdfast.getServer({ params: { id: first.id } })).customBotId;
  const body = { platformGuildId: randomPlatformId(), customBotId, name: 'Second' };
  const second = await holdfast.createServer({ body });
  await fillServer(first.id, marker);

  const { page } = owner;
  /** Within the application, as its links do it. */
  const go = (id: string, place: string) =>
    page.evaluate((path) => {
      history.pushState({}, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `/dashboard/servers/${id}/${place}`);
  const shown = page.getByText(marker);
  for (const place of ['members', 'backups', 'firewall', 'whitelist', 'appeals']) {
    await go(first.id, place);
    await shown.first().waitFor();
    // While the answers about the second are on their way, and when they are there.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const list = `**/servers/${second.id}/${place}**`;
    await page.route(list, async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest(list);
    await go(second.id, place);
    await asked;
    expect({ place, shown: await shown.count() }).toEqual({ place, shown: 0 });
    const answered = page.waitForResponse(list);
    release();
    await answered;
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect({ place, shown: await shown.count() }).toEqual({ place, shown: 0 });
    await page.unroute(list);
  }
});
