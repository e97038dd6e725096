import type { Holdfast } from '@holdfast/sdk';
import type { Browser } from 'playwright-core';
import type { LocalMode } from './local-mode.ts';

const newcomers = 9;

/** Creates what the pages show: newcomers, a good backup, a pull and deleted channels. */
export const seed = async ({ holdfast, simulatorUrl, url }: LocalMode, browser: Browser) => {
  const [server] = (await holdfast.listServers()).data;
  if (!server) throw new Error('The demo has no server');
  const params = { id: server.id };
  await holdfast.updateServer({
    params,
    body: { captchaType: 'NONE', firewallEnabled: true, backupSchedule: { everyHours: 24 } },
  });
  await holdfast.updateProtection({
    ...{ params, body: { antiNukeEnabled: true, antiRaidEnabled: true } },
  });
  for (let person = 0; person < newcomers; person++) await visit(browser, url, server.id, person);
  await holdfast.updateServer({ params, body: { captchaType: 'POW' } });
  const begun = await holdfast.createBackup({ params, body: { name: 'Before the storm' } });
  const backup = await holdfast.waitForBackup(begun);
  const pull = await holdfast.waitForPull(await holdfast.createPull({ params }));
  await waitForTestRestore(holdfast, backup);
  await wreck(simulatorUrl, server.platformGuildId);
  return { serverId: server.id, backupId: backup.id, pullId: pull.id };
};

/** Two of three verify, the others only open the page. */
const visit = async (browser: Browser, url: string, serverId: string, person: number) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/verify/${serverId}`);
  if (person % 3 !== 2) {
    await page.getByRole('button', { name: 'Verify me' }).click();
    await page.getByLabel('Or as the user with this id').fill(`7159288472991170${10 + person}`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.waitForURL(/\/(done|check)/);
    await page.waitForTimeout(500);
  }
  await context.close();
};

const waitForTestRestore = async (
  holdfast: Holdfast,
  { id, serverId }: { id: string; serverId: string },
) => {
  for (let waited = 0; waited < 60; waited++) {
    const { restorable } = await holdfast.getBackup({ params: { id: serverId, backupId: id } });
    if (restorable !== null) return;
    await Bun.sleep(1000);
  }
};

const wreck = async (simulatorUrl: string, guildId: string): Promise<void> => {
  const headers = { authorization: 'Bot anyone' };
  const channelsUrl = `${simulatorUrl}/api/v10/guilds/${guildId}/channels`;
  const channels: { id: string }[] = await (await fetch(channelsUrl, { headers })).json();
  for (const { id } of channels.slice(0, 14)) {
    await fetch(`${simulatorUrl}/api/v10/channels/${id}`, { method: 'DELETE', headers });
  }
};

export type Seeded = Awaited<ReturnType<typeof seed>>;
