import { z } from 'zod';
import type { RequestTokens } from '../../features/members/seed/seed-members.ts';
import { storeFirstTokens } from '../../features/vault/tokens/store.ts';
import { send } from '../../integrations/simulator/send.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';

const aboutShape = z.object({
  name: z.literal('holdfast-simulator'),
  pid: z.int().positive(),
  ownerPid: z.int().positive().nullable(),
});
export type AboutSimulator = z.infer<typeof aboutShape>;

/** What listens at an address: our simulator, another program, or nothing. */
type Listener =
  | { is: 'simulator'; about: AboutSimulator }
  | { is: 'otherProgram' }
  | { is: 'nothing' };

const timeoutMs = 2000;
/** Thousands of tokens take a moment. */
const tokensTimeoutMs = 30_000;

export const identifyListener = (url: string): Promise<Listener> => identify(url, 'GET');

/** Makes this process the owner, which stops the simulator. */
export const takeOver = (url: string): Promise<Listener> =>
  identify(url, 'PUT', { ownerPid: process.pid });

/** How many the simulator issues at a time. */
const pairsPerRequest = 5000;
const scopes = ['identify', 'guilds.join'];

/** Seeded members get tokens that the simulator knows, so that pulls of them work. */
export const askSimulatorForTokens =
  (url: string, ring: KeyRing): RequestTokens =>
  async (clientId, platformIds) => {
    const tokens: Awaited<ReturnType<typeof issueTokens>> = [];
    for (let first = 0; first < platformIds.length; first += pairsPerRequest) {
      const userIds = platformIds.slice(first, first + pairsPerRequest);
      tokens.push(...(await issueTokens(url, clientId, userIds)));
    }
    return (tx, owner) => storeFirstTokens(tx, { ring, clock: systemClock }, owner, tokens);
  };

/** As its owner would set it up in the developer portal. */
export const setUpApplication = async (
  url: string,
  clientId: string,
  settings: { name: string; redirectUris?: string[] },
): Promise<void> => {
  await send(`${url}/__sim/bots/${clientId}`, { method: 'PUT', body: settings, timeoutMs });
};

const guildShape = z.looseObject({ members: z.array(z.unknown()) });

type Newcomer = { platformId: string; username: string; displayName: string | null; at: Date };

/** Beside those who are there. The simulator keeps them with the guild. */
export const addPeopleToGuild = async (
  url: string,
  guildId: string,
  people: readonly Newcomer[],
): Promise<void> => {
  const address = `${url}/__sim/guilds/${guildId}`;
  const { text } = await send(address, { method: 'GET', timeoutMs });
  const guild = guildShape.parse(JSON.parse(text));
  const added = people.map(({ platformId, username, displayName, at }) => ({
    user: { id: platformId, username, global_name: displayName },
    ...{ roles: [], joined_at: at.toISOString() },
  }));
  const body = { ...guild, members: [...guild.members, ...added] };
  await send(address, { method: 'PUT', body, timeoutMs });
};

const pairsShape = z.array(
  z.object({
    access_token: z.string(),
    refresh_token: z.string(),
    expires_in: z.number(),
    scope: z.string(),
  }),
);

/** A token pair for each user, in their order, as if they had consented. */
const issueTokens = async (url: string, clientId: string, userIds: string[]) => {
  const issuedAtMs = systemClock.now().getTime();
  const body = { clientId, userIds, scopes };
  const options = { method: 'POST', body, timeoutMs: tokensTimeoutMs };
  const { status, text } = await send(`${url}/__sim/tokens`, options);
  const pairs = status === 200 ? pairsShape.parse(JSON.parse(text)) : [];
  if (pairs.length !== userIds.length) {
    throw new Error(`The platform simulator at ${url} issued no tokens (${status})`);
  }
  return pairs.map((pair, index) => ({
    platformId: userIds[index] ?? '',
    accessToken: new Secret(pair.access_token),
    refreshToken: new Secret(pair.refresh_token),
    scopes: pair.scope.split(' '),
    expiresAt: new Date(issuedAtMs + pair.expires_in * 1000),
  }));
};

const identify = async (url: string, method: string, body?: object): Promise<Listener> => {
  try {
    const { text } = await send(`${url}/__sim`, { method, body, timeoutMs });
    return { is: 'simulator', about: aboutShape.parse(JSON.parse(text)) };
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    return { is: isRefused ? 'nothing' : 'otherProgram' };
  }
};
