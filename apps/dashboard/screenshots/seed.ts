import type { Holdfast } from '@holdfast/sdk';
import type { Browser } from 'playwright-core';
import type { LocalMode } from './local-mode.ts';

const communityName = 'Harbour Lights';
const newcomers = 9;

const wreckedChannels = 14;
const stayingMembers = 4;

/** Creates what the pages show: a server set up, newcomers, a good backup, a pull and deleted channels. */
export const seed = async ({ holdfast, simulatorUrl, url }: LocalMode, browser: Browser) => {
  const [server] = (await holdfast.listServers()).data;
  if (!server) throw new Error('The demo has no server');
  const params = { id: server.id };
  await renameGuild(simulatorUrl, server.platformGuildId);
  await holdfast.updateServer({
    params,
    body: {
      name: communityName,
      captchaType: 'NONE',
      firewallEnabled: true,
      backupSchedule: { everyHours: 24 },
    },
  });
  await completeSetup({ holdfast, simulatorUrl }, server);
  await holdfast.updateProtection({
    ...{ params, body: { antiNukeEnabled: true, antiRaidEnabled: true } },
  });
  for (let person = 0; person < newcomers; person++) await visit(browser, url, server.id, person);
  await holdfast.updateServer({ params, body: { captchaType: 'POW' } });
  const begun = await holdfast.createBackup({ params, body: { name: 'Before the storm' } });
  const backup = await holdfast.waitForBackup(begun);
  await scatter({ holdfast, simulatorUrl }, server.id);
  const pull = await holdfast.waitForPull(await holdfast.createPull({ params }));
  await waitForTestRestore(holdfast, backup);
  await wreck(simulatorUrl, server.platformGuildId);
  await waitForQuiet(holdfast, server.id);
  return { serverId: server.id, backupId: backup.id, pullId: pull.id };
};

/** The demo's own name ends with a number, which tells a reader nothing. */
export const renameGuild = (simulatorUrl: string, guildId: string): Promise<Response> =>
  fetch(`${simulatorUrl}/api/v10/guilds/${guildId}`, {
    method: 'PATCH',
    headers: { authorization: 'Bot anyone', 'content-type': 'application/json' },
    body: JSON.stringify({ name: communityName }),
  });

type Server = { id: string; platformGuildId: string };
type Named = { id: string; name: string; type?: number };

const textChannel = 0;

/** Role, channel for reports and panel, so that the checklist is done; in channels that are not wrecked. */
const completeSetup = async (
  { holdfast, simulatorUrl }: Pick<LocalMode, 'holdfast' | 'simulatorUrl'>,
  { id, platformGuildId }: Server,
): Promise<void> => {
  const params = { id };
  const roles = await readGuild(simulatorUrl, platformGuildId, 'roles');
  const channels = await readGuild(simulatorUrl, platformGuildId, 'channels');
  const kept = channels.slice(wreckedChannels).filter(({ type }) => type === textChannel);
  const role = roles.find(({ name }) => /^(member|verified)/i.test(name)) ?? roles.at(-1);
  const [channel] = kept;
  if (!role || !channel) throw new Error('The demo community lacks a role or a channel');
  const logChannelId = kept.at(-1)?.id ?? channel.id;
  await holdfast.updateServer({ params, body: { verifiedRoleId: role.id, logChannelId } });
  const texts = { title: 'Welcome', text: 'Press the button to verify.', buttonText: 'Verify' };
  await holdfast.createPanel({
    params,
    body: { ...texts, channelId: channel.id, color: 0x0f5f66 },
  });
};

const readGuild = async (
  simulatorUrl: string,
  guildId: string,
  part: 'roles' | 'channels',
): Promise<Named[]> => {
  const headers = { authorization: 'Bot anyone' };
  return (await fetch(`${simulatorUrl}/api/v10/guilds/${guildId}/${part}`, { headers })).json();
};

/** Two of three verify, the others only open the page. */
const visit = async (browser: Browser, url: string, serverId: string, person: number) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/verify/${serverId}`);
  if (person % 3 !== 2) {
    await page.getByRole('button', { name: 'Verify me' }).click();
    await page.getByLabel("Another user's id").fill(`7159288472991170${10 + person}`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.waitForURL(/\/(done|check)/);
    await page.waitForTimeout(500);
  }
  await context.close();
};

/** Most of those who can be brought back leave the guild first, so that the pull has somebody to bring. */
export const scatter = async (
  { holdfast, simulatorUrl }: Pick<LocalMode, 'holdfast' | 'simulatorUrl'>,
  serverId: string,
): Promise<void> => {
  const query = { pullable: true, limit: 100 };
  const { data: members } = await holdfast.listMembers({ params: { id: serverId }, query });
  for (const { platformId } of members.slice(stayingMembers)) {
    await fetch(`${simulatorUrl}/__sim/users/${platformId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ guildIds: [] }),
    });
  }
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
  throw new Error('The test restore of the backup did not end');
};

/** The attack has a backup made, and the schedule another: no picture shows one that is not tested yet. */
const waitForQuiet = async (holdfast: Holdfast, serverId: string): Promise<void> => {
  let quietSeconds = 0;
  for (let waited = 0; quietSeconds < 10; waited++) {
    if (waited === 180) throw new Error('A test restore did not end');
    await Bun.sleep(1000);
    const { data: backups } = await holdfast.listBackups({ params: { id: serverId } });
    const isTested = backups.every(({ restorable }) => restorable !== null);
    quietSeconds = isTested ? quietSeconds + 1 : 0;
  }
};

export const wreck = async (simulatorUrl: string, guildId: string): Promise<void> => {
  const channels = await readGuild(simulatorUrl, guildId, 'channels');
  for (const { id } of channels.slice(0, wreckedChannels)) {
    await fetch(`${simulatorUrl}/api/v10/channels/${id}`, {
      method: 'DELETE',
      headers: { authorization: 'Bot anyone' },
    });
  }
};

export type Seeded = Awaited<ReturnType<typeof seed>>;
