import { expect } from 'bun:test';
import type { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import type { LocalService } from '../local-service.ts';
import { waitForHeading } from './chromium.ts';
import { type Story, waitForText } from './dashboard.ts';

/** What the backup holds, how the server differs from it, and the backup as a file. */
export const lookInto = async (page: Page, channels: number): Promise<void> => {
  await page.getByRole('tab', { name: 'Contents' }).click();
  const tree = page.getByRole('list', { name: 'Channels' });
  await tree.getByText('general').waitFor();
  await page.getByLabel('Find a channel or role').fill('moderators');
  await tree.getByText('general').waitFor({ state: 'detached' });
  await tree.getByRole('button', { name: /moderators.*private/ }).click();
  await page.getByRole('list', { name: 'Roles' }).waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'Only in this backup', exact: true }).waitFor();
  await waitForText(page, 'Arrows lead from the server to this backup');

  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
  const file = await Bun.file(await (await saved).path()).json();
  expect(file.channels).toHaveLength(channels);
  expect(file).not.toHaveProperty('memberRoles');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

/** Another owner finds nobody's server but their own, by any page's address. */
export const expectNothingOf = async (
  stranger: Page,
  { url }: Pick<LocalService, 'url'>,
  { serverId, serverName }: Pick<Story, 'serverId' | 'serverName'>,
): Promise<void> => {
  for (const path of ['', '/members', '/backups', '/pulls', '/settings', '/analytics']) {
    await stranger.goto(`${url}/dashboard/servers/${serverId}${path}`);
    await waitForHeading(stranger, 'Nothing here');
    expect(await stranger.locator('main').innerText()).not.toContain(serverName);
  }
};

/** As somebody who may would do it: every channel that can be. */
export const deleteChannels = async (
  { control, simulatorUrl }: Pick<LocalService, 'control' | 'simulatorUrl'>,
  { guildId }: Pick<Story, 'guildId'>,
): Promise<void> => {
  const { channels } = await control('GET', `/guilds/${guildId}`);
  for (const { id } of channels) {
    await fetch(`${simulatorUrl}/api/v10/channels/${id}`, {
      method: 'DELETE',
      headers: { authorization: 'Bot anyone' },
    });
  }
};

/** A code counts once, so the one that switched it on cannot sign in as well. */
export const enterFreshCode = async (page: Page, totp: TOTP): Promise<void> => {
  const used = totp.generate({ timestamp: Date.now() });
  const next = totp.generate({ timestamp: Date.now() + 30_000 });
  expect(next).not.toBe(used);
  await page.getByLabel('Code').fill(next);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};
