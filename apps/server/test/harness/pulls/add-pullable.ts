import { storeTokens } from '../../../src/features/vault/tokens/store.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import type { GatewayFixture } from '../gateway.ts';
import { insertMembers } from '../members.ts';
import type { ProtectedGuild } from '../protected-guild.ts';

type Tokens = { accessToken: Secret; refreshToken: Secret; scopes: string[]; expiresAt: Date };

/** A member of the server who can be pulled. */
export const addPullable = async (
  fixture: GatewayFixture,
  { bot, owner, serverId }: ProtectedGuild,
  platformId: string,
): Promise<string> => {
  const scopes = ['identify', 'guilds.join'];
  const wish = { clientId: bot.platformId, userId: platformId, scopes };
  const pair = await fixture.simulator.control('POST', '/tokens', wish);
  const given: Tokens = {
    accessToken: new Secret(pair.access_token),
    refreshToken: new Secret(pair.refresh_token),
    ...{ scopes, expiresAt: new Date(Date.now() + 600_000) },
  };
  const { db, ring } = fixture.service;
  const tokenOwner = { accountId: owner.accountId, botId: bot.id, platformId };
  await db.transaction((tx) => storeTokens(tx, { ring, clock: systemClock }, tokenOwner, given));
  const consent = { tokenStatus: 'VALID' as const, consentedAt: new Date(), botId: bot.id };
  const [member] = await insertMembers(db, { owner, serverId }, { platformId, ...consent });
  if (!member) throw new Error('No member');
  return member.id;
};
