import type { AskForTokens } from '../features/members/seed.ts';
import { keepFirstTokens } from '../features/vault/keep-first-tokens.ts';
import { systemClock } from '../kernel/clock.ts';
import type { KeyRing } from '../kernel/seal.ts';
import { Secret } from '../kernel/secret.ts';
import { askForPairs } from './simulator-control.ts';

/** As many as the simulator gives at a time. */
const pairsAtATime = 5000;
const scopes = ['identify', 'guilds.join'];

/** Made-up people get tokens that the simulator knows, so that they can be brought back on it. */
export const askSimulatorForTokens =
  (url: string, ring: KeyRing): AskForTokens =>
  async (clientId, platformIds) => {
    const given: Awaited<ReturnType<typeof askForSome>> = [];
    for (let first = 0; first < platformIds.length; first += pairsAtATime) {
      const some = platformIds.slice(first, first + pairsAtATime);
      given.push(...(await askForSome(url, clientId, some)));
    }
    return (tx, owner) => keepFirstTokens(tx, { ring, clock: systemClock }, owner, given);
  };

const askForSome = async (url: string, clientId: string, platformIds: string[]) => {
  const askedAtMs = systemClock.now().getTime();
  const pairs = await askForPairs(url, { clientId, accountIds: platformIds, scopes });
  return pairs.map((pair, place) => ({
    platformId: platformIds[place] ?? '',
    accessToken: new Secret(pair.access_token),
    refreshToken: new Secret(pair.refresh_token),
    scopes: pair.scope.split(' '),
    expiresAt: new Date(askedAtMs + pair.expires_in * 1000),
  }));
};
