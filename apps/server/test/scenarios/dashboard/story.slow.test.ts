// Takes about 45 s: started before shorter ones.
import { afterAll, beforeAll, expect } from 'bun:test';
import { createHoldfast } from '@holdfast/sdk';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { newBotBody } from '../../harness/bots-and-servers.ts';
import {
  authorizeAs,
  inBrowser,
  newChromium,
  type Window,
  waitForHeading,
} from '../../harness/browser/chromium.ts';
import {
  choose,
  confirmDanger,
  demoOwner,
  type Story,
  signIn,
  waitForText,
} from '../../harness/browser/dashboard.ts';
import {
  deleteChannels,
  enterFreshCode,
  expectNothingOf,
  lookInto,
} from '../../harness/browser/story-steps.ts';
import { eventually } from '../../harness/eventually.ts';
import { type LocalService, startLocalService } from '../../harness/local-service.ts';
import { createKey, request, stopServices } from '../../harness/running-service.ts';
import { randomPlatformId } from '../../harness/service.ts';

/** One evening of an owner: each test continues where the one before ended. */
const chromium = newChromium();
const desk = { viewport: { width: 1280, height: 900 } };
const permissions = ['clipboard-read', 'clipboard-write'];
/** In the Netherlands, by the data that comes with the service. */
const dutchAddress = '145.97.1.1';

let service: LocalService;
let owner: Window;
let page: Page;
const story: Story = { serverId: '', guildId: randomPlatformId(), serverName: 'The Lantern' };

beforeAll(async () => {
  service = await startLocalService({ TRUSTED_PROXIES: '127.0.0.1' });
  await service.control('PUT', '/limits', { default: { limit: 1000, perMs: 1000 } });
  // A server follows the name of its guild.
  const { guild, ...rest } = await service.control('GET', `/guilds/${story.guildId}`);
  const named = { ...rest, guild: { ...guild, name: story.serverName } };
  await service.control('PUT', `/guilds/${story.guildId}`, named);
  owner = await chromium.openWindow({ ...desk, permissions });
  page = owner.page;
  page.setDefaultTimeout(120_000);
});
afterAll(async () => {
  await chromium.close();
  await stopServices();
});

const open = async (path: string): Promise<void> => {
  await page.goto(`${service.url}/dashboard${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const ofServer = (path: string): string => `/servers/${story.serverId}${path}`;
const channelCount = async (): Promise<number> =>
  (await service.control('GET', `/guilds/${story.guildId}`)).channels.length;

/** A newcomer who agrees to recovery and authorizes, in a browser of their own. */
const arrive = async (person: string, address?: string): Promise<Window> => {
  const visitor = await chromium.openWindow({ address });
  await visitor.page.goto(`${service.url}/verify/${story.serverId}`);
  await visitor.page.getByRole('checkbox').check();
  await authorizeAs(visitor.page, person);
  return visitor;
};

inBrowser('the demo owner signs in with one click', async () => {
  await signIn(page, service);
  await waitForHeading(page, 'Hello, Amber Otter');
});

inBrowser('a key is created with two scopes, copied, used, revoked and worth nothing', async () => {
  await open('/api-keys');
  await press('Create key');
  await page.getByLabel('Name').fill('nightly');
  for (const scope of ['servers:read', 'members:read']) {
    await page.getByRole('checkbox', { name: scope }).check();
  }
  await press('Create this key');
  await page.getByRole('button', { name: 'Copy' }).first().click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^holdfast_\w{44}$/);
  const ask = (path: string) =>
    request(service.url, 'GET', `/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect((await ask('/servers')).status).toBe(200);
  expect((await ask('/account')).status).toBe(403);
  await press('Done');
  await press('Yes, close');
  await press('Revoke nightly');
  await confirmDanger(page, 'nightly', 'Revoke the key');
  await waitForText(page, 'The key is revoked.');
  expect((await ask('/servers')).status).toBe(401);
});

inBrowser('a bot and a server are added, and the verify link is there to share', async () => {
  await open('/servers/new');
  await press('Add another bot');
  const { clientId, botToken, clientSecret } = newBotBody();
  await service.control('PUT', `/bots/${clientId}`, { name: 'Keeper', clientSecret });
  const bot = page.getByRole('region', { name: 'The bot' });
  await bot.getByRole('textbox', { name: 'Bot token' }).fill(botToken);
  await press('Find the bot');
  await bot.getByRole('textbox', { name: 'Client secret' }).fill(clientSecret);
  await press('Add this bot');
  await waitForText(page, 'Keeper was added');
  const link = page.getByRole('link', { name: 'Invite the bot to a server' });
  const invite = new URLSearchParams({
    ...{ user: demoOwner, guild_id: story.guildId, decision: 'authorize' },
  });
  await fetch((await link.getAttribute('href')) ?? '', { method: 'POST', body: invite });
  await page.getByRole('radio', { name: story.serverName }).click();
  await press('Add the server');
  await page.waitForURL(/\/servers\/[0-9a-f-]{36}/);
  story.serverId = /servers\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  await open(ofServer(''));
  await waitForText(page, `${service.url}/verify/${story.serverId}`);
});

inBrowser('a member verifies in another browser and appears without reloading', async () => {
  await open(ofServer('/members'));
  await waitForHeading(page, 'Members');
  story.member = randomPlatformId();
  const visitor = await arrive(story.member);
  await waitForHeading(visitor.page, 'You are verified');
  await visitor.close();
  await waitForText(page, '1 member verified');
  await page.getByRole('button', { name: /./ }).first().waitFor();
});

inBrowser(
  'a wrecked server is previewed, restored with live progress, and that is undone',
  async () => {
    const before = await channelCount();
    await open(ofServer('/backups'));
    await page.getByRole('button', { name: 'Back up now' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Before the storm');
    await dialog.getByRole('button', { name: 'Back up now' }).click();
    await page.getByRole('link', { name: /^Restore from .*Before the storm/ }).waitFor();
    await deleteChannels(service, story);
    const left = await channelCount();
    expect(left).toBeLessThan(before);

    await page.getByRole('link', { name: 'Before the storm', exact: true }).click();
    await lookInto(page, before);
    await page.getByRole('tab', { name: 'Restore' }).click();
    expect(await page.getByLabel('Repair: keep what is there').isChecked()).toBe(true);
    await press('Show what would happen');
    await waitForText(page, /About .* calls to the platform/);
    await waitForText(page, 'Created');
    await press('Restore this');
    await confirmDanger(page, story.serverName, 'Restore');
    await page.waitForURL(/\/restores\//);
    const done = page.getByRole('status').getByText('Done');
    await page.getByRole('progressbar').or(done).first().waitFor();
    await done.waitFor({ timeout: 60_000 });
    expect(await channelCount()).toBe(before);

    const restored = page.url();
    await press('Undo this restore');
    await confirmDanger(page, story.serverName, 'Undo');
    await page.waitForURL((url) => url.href !== restored && url.pathname.includes('/restores/'));
    await eventually(60_000, async () => expect(await channelCount()).toBe(left));
    await page.getByRole('status').getByText('Done').waitFor({ timeout: 60_000 });
  },
);

inBrowser('the member is brought back, and the page shows the progress', async () => {
  await open(ofServer('/pulls'));
  await waitForText(page, /1 member agreed|The one who agreed is here/);
  await press('Bring members back');
  await confirmDanger(page, story.serverName, 'Bring them back');
  await page.waitForURL(/\/pulls\//);
  await waitForText(page, /1 member came back|The member was there already/);
});

inBrowser('a country is blocked, and the owner accepts an appeal from there', async () => {
  await open(ofServer('/firewall'));
  await press('Turn it on');
  await waitForText(page, 'The firewall is on');
  await choose(page, 'Type', 'Country');
  await choose(page, 'Country', /^Netherlands \(NL\)/);
  await press('Add the rule');
  await waitForText(page, 'is active from now on');
  await page.getByRole('button', { name: /^Delete the rule for Netherlands/ }).click();
  await waitForText(page, 'The rule is deleted.');
  await press('Undo');
  await waitForText(page, 'It is as before.');
  await page.getByRole('button', { name: /^Delete the rule for Netherlands/ }).waitFor();

  const student = randomPlatformId();
  const refused = await arrive(student, dutchAddress);
  await refused.page.getByLabel('Tell the owner why').fill('I study in Delft.');
  await refused.page.getByRole('button', { name: 'Send to the owner' }).click();
  await waitForText(refused.page, 'The owner has your message');

  await open(ofServer('/appeals'));
  await waitForText(page, 'I study in Delft.');
  await press('Let them in');
  await page.getByRole('dialog').getByRole('button', { name: 'Let them in' }).click();
  await waitForText(page, 'They can verify now.');
  await refused.page.getByRole('link', { name: 'Look again' }).click();
  await waitForHeading(refused.page, 'The owner lets you in');
  await refused.page.getByRole('link', { name: 'Verify once more' }).click();
  await authorizeAs(refused.page, student);
  await waitForHeading(refused.page, 'You are verified');
  await refused.close();
});

inBrowser('a plan is bought on the pretended provider’s page', async () => {
  await open('/billing');
  await press('Choose Enterprise');
  await waitForHeading(page, 'Pay by card');
  await press('Pay');
  await waitForHeading(page, 'Thank you');
  await page.getByRole('link', { name: 'See your plan and its receipt' }).click();
  const plan = page.getByRole('article', { name: 'The Enterprise plan' });
  await plan.getByText('Your plan').waitFor();
});

inBrowser('a template is published, bought by another owner and delivered', async () => {
  await open('/marketplace/selling');
  await page.getByRole('button', { name: 'Sell something' }).first().click();
  await choose(page, 'Which server', story.serverName);
  await choose(page, 'Which backup', /Before the storm/);
  await page.getByLabel('Title').fill('A lantern for your harbour');
  await page.getByLabel('Price in USD').fill('15');
  await press('Check it and list it');
  await waitForText(page, 'is among your listings');
  await buyTemplate();
});

/** Somebody else, with a server of their own, in a browser of their own. */
const buyTemplate = async (): Promise<void> => {
  const { key, platformId } = await createKey(service.databaseUrl);
  const api = createHoldfast({ baseUrl: service.url, key });
  const { id: customBotId } = await api.createBot({ body: newBotBody() });
  const body = { platformGuildId: randomPlatformId(), customBotId, name: 'A quiet bay' };
  const server = await api.createServer({ body });
  const buyer = await chromium.openWindow(desk);
  buyer.page.setDefaultTimeout(120_000);
  await signIn(buyer.page, service, { person: platformId, next: '/dashboard/marketplace' });
  await buyer.page.getByLabel('Search', { exact: true }).fill('LANTERN harbour');
  await buyer.page.getByRole('link', { name: 'A lantern for your harbour' }).click();
  await buyer.page.getByRole('heading', { name: 'What is in it' }).waitFor();
  // Their only one; it has the name of its guild.
  await choose(buyer.page, 'For which server', /./);
  await buyer.page.getByRole('button', { name: 'Continue to payment' }).click();
  await buyer.page.getByRole('button', { name: 'Pay', exact: true }).click();
  await waitForHeading(buyer.page, 'Thank you');
  await buyer.page.goto(`${service.url}/dashboard/marketplace/orders`);
  await buyer.page.getByRole('link', { name: 'A lantern for your harbour' }).first().click();
  await waitForText(buyer.page, 'All done');
  const { data } = await api.listBackups({ params: { id: server.id } });
  expect(data.map(({ kind }) => kind)).toEqual(['MARKETPLACE']);
  expect(buyer.complaints).toEqual([]);
  await expectNothingOf(buyer.page, service, story);
  await buyer.close();
};

inBrowser('the audit log tells it all, and its chain holds', async () => {
  await open('/audit');
  await press('Verify the chain');
  await waitForText(page, 'The chain is intact');
});

inBrowser('with a second factor, signing in and dangerous acts ask for a code', async () => {
  await open('/account');
  await press('Set it up');
  const shown = await page.getByRole('dialog').locator('pre').first().innerText();
  const totp = new TOTP({ secret: shown.replaceAll(/\s/g, '') });
  await page.getByRole('textbox', { name: 'Code' }).fill(totp.generate());
  await press('Switch it on');
  await page.getByLabel('I have kept them').check();
  const recoveryCode = await page.getByRole('dialog').locator('pre').first().innerText();
  await press('Done');

  await page.getByRole('button', { name: /Amber Otter/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await waitForHeading(page, 'You are signed out');
  await signIn(page, service);
  await waitForHeading(page, 'One more step');
  await page.goto(`${service.url}/dashboard`);
  await page.getByRole('button', { name: 'Authorize' }).waitFor();
  await signIn(page, service);
  await enterFreshCode(page, totp);
  await waitForHeading(page, 'Hello, Amber Otter');

  await open(ofServer('/settings'));
  await press('Delete the server');
  await page.getByRole('dialog').getByLabel('Code of your authenticator').fill(recoveryCode);
  await confirmDanger(page, story.serverName, 'Delete the server');
  await page.waitForURL(`${service.url}/dashboard/servers`);
  // That nobody was signed in between the two steps was said so.
  expect(owner.complaints.filter((line) => !line.includes('status of 401'))).toEqual([]);
  await open(ofServer(''));
  expect(await page.locator('h1').innerText()).toBe('Nothing here');
});
