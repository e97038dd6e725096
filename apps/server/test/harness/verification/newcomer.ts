import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { desc, eq } from 'drizzle-orm';
import { attempts } from '../../../src/features/verification/table.ts';
import { createServer } from '../bots-and-servers.ts';
import type { PageBrowser, PageReply } from '../browser/page-browser.ts';
import { randomPlatformId, type Tenant } from '../service.ts';
import type { TestSimulator } from '../simulator/start.ts';
import type { VerificationFixture } from './fixture.ts';

export type VerificationServer = { owner: Tenant; id: string; guildId: string; roleId: string };

type DoorMakers = {
  service: { newTenant(): Promise<Tenant> };
  simulator: Pick<TestSimulator, 'control'>;
};

/** A server with its guild on the simulator; the people named are in it. */
export const newVerificationServer = async (
  { service, simulator }: DoorMakers,
  settings: object = {},
  memberIds: string[] = [],
): Promise<VerificationServer> => {
  const owner = await service.newTenant();
  const [guildId, roleId, channelId] = [randomPlatformId(), randomPlatformId(), randomPlatformId()];
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [{ id: roleId, name: 'Verified' }],
    channels: [{ id: channelId, name: 'log' }],
    members: memberIds.map((id) => ({ user: { id } })),
  });
  const id = await createServer(owner, { platformGuildId: guildId });
  const body = {
    captchaType: 'NONE',
    verifiedRoleId: roleId,
    logChannelId: channelId,
    ...settings,
  };
  const changed = await owner.call('PUT', `/api/v1/servers/${id}`, { body });
  if (changed.status !== 200) throw new Error(`No settings: ${changed.text}`);
  return { owner, id, guildId, roleId };
};

/** Authorizes at the platform; gives the address that the platform redirects the browser to. */
export const authorize = async (
  browser: PageBrowser,
  server: { id: string },
  platformId: string,
  form: Record<string, string> = {},
): Promise<{ back: string; authorizeUrl: URL }> => {
  await browser.get(`/verify/${server.id}`);
  const begun = await browser.post(`/verify/${server.id}`, form);
  if (begun.status !== 303) throw new Error(`Not begun: ${begun.status} ${begun.text}`);
  const authorizeUrl = new URL(begun.location ?? '');
  const agreed = await fetch(`${authorizeUrl.href}&sim_user=${platformId}`, { redirect: 'manual' });
  return { back: agreed.headers.get('location') ?? '', authorizeUrl };
};

export const deviceOf = (name: string): string =>
  new Bun.CryptoHasher('sha256').update(name).digest('hex');

/** Runs a verification to the page with its outcome, without a captcha or with a proof of work. */
export const walkIn = async (
  browser: PageBrowser,
  server: { id: string },
  platformId: string,
  { form = {}, device = platformId }: { form?: Record<string, string>; device?: string } = {},
): Promise<PageReply> => {
  const { back } = await authorize(browser, server, platformId, form);
  await browser.get(back);
  const page = await browser.get(`/verify/${server.id}/check`);
  const fields = { fingerprint: deviceOf(device), ...(await solveOn(page)) };
  const taken = await browser.post(`/verify/${server.id}/check`, fields);
  if (taken.status !== 303) return taken;
  const outcome = await browser.get(`/verify/${server.id}/check`);
  return outcome.location ? browser.get(outcome.location) : outcome;
};

/** What the page's script would fill in. */
export const solveOn = async ({ text }: PageReply): Promise<Record<string, string>> => {
  const fieldIn = (name: string) =>
    unescapeHtml(text.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1] ?? '');
  const challenge = fieldIn('challenge');
  if (challenge === '') return {};
  const solution = await solveChallenge({ challenge: JSON.parse(challenge), deriveKey });
  return { challenge, seal: fieldIn('seal'), solution: JSON.stringify(solution) };
};

const unescapeHtml = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

export const attemptsOf = ({ db }: VerificationFixture, server: { id: string }) =>
  db
    .select({
      stage: attempts.stage,
      blockReason: attempts.blockReason,
      undecided: attempts.undecided,
      country: attempts.country,
    })
    .from(attempts)
    .where(eq(attempts.serverId, server.id))
    .orderBy(desc(attempts.startedAt));

export const membersOf = async ({ owner, id }: VerificationServer) =>
  (await owner.call('GET', `/api/v1/servers/${id}/members`)).body.data;
