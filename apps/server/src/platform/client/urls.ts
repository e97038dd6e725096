import type { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../failures.ts';
import type { PortalPage } from '../port.ts';

const realCdn = 'https://cdn.discordapp.com';
const realMediaProxy = 'https://media.discordapp.net';

/** The API's root, without the version that every call adds. */
export const normalizeApiUrl = (url: string): string => {
  const { origin, pathname } = new URL(url);
  const root = pathname.replace(/\/+$/, '').replace(/\/v10$/, '');
  return `${origin}${root === '' ? '/api' : root}`;
};

/** The host of the platform's images. */
export const cdnUrlOf = (apiUrl: string): string => {
  const { hostname, origin } = new URL(apiUrl);
  return isRealHost(hostname) ? realCdn : `${origin}/cdn`;
};

/** The real platform serves GIF stickers from another host than everything else. */
export const mediaUrlOf = (cdnUrl: string): string =>
  cdnUrl === realCdn ? realMediaProxy : cdnUrl;

/** Where a person opens an invite. */
export const inviteUrlOf = (apiUrl: string, code: string): string => {
  const { hostname, origin } = new URL(apiUrl);
  return isRealHost(hostname) ? `https://discord.gg/${code}` : `${origin}/invite/${code}`;
};

type BotInvite = { clientId: string; permissions: bigint; guildId: string | undefined };

/** Where a person adds a bot to a guild, with these permissions. */
export const botInviteUrlOf = (apiUrl: string, { clientId, permissions, guildId }: BotInvite) => {
  const url = new URL('/oauth2/authorize', apiUrl);
  url.search = new URLSearchParams({
    ...{ client_id: clientId, scope: 'bot', permissions: String(permissions) },
    ...(guildId && { guild_id: guildId, disable_guild_select: 'true' }),
  }).toString();
  return url.href;
};

/** Where a person sets up their applications: the list, or a page of one. */
export const portalUrlOf = (
  apiUrl: string,
  page?: { clientId: string; of: PortalPage },
): string => {
  const path = page ? `/${page.clientId}/${page.of}` : '';
  return new URL(`/developers/applications${path}`, apiUrl).href;
};

const isRealHost = (hostname: string): boolean =>
  hostname === 'discord.com' || hostname.endsWith('.discord.com');

/**
 * The address of a socket, with the protocol that we speak. A bot's token is sent there, so it must be
 * the platform's: its gateway hosts, or the host of another API's address.
 */
export const gatewayUrlAt = (apiUrl: string, url: string): string => {
  const api = new URL(apiUrl);
  const { protocol, hostname, port, host, pathname } = new URL(url);
  const isPlatforms = isRealHost(api.hostname)
    ? protocol === 'wss:' && hostname.endsWith('.discord.gg') && port === ''
    : hostname === api.hostname && isSocket(protocol, api.protocol);
  if (!isPlatforms) throw new PlatformFailure('badAnswer');
  return `${protocol}//${host}${pathname}?v=10&encoding=json`;
};

/** Not in the clear where the API is not. */
const isSocket = (protocol: string, ofApi: string): boolean =>
  protocol === 'wss:' || (protocol === 'ws:' && ofApi === 'http:');

const platformId = /^\d{1,20}$/;

/** Ids become parts of URLs: untrusted text must not redirect a request to another path. */
export const requirePlatformId = (id: string): void => {
  if (!platformId.test(id)) throw new Error('Not an id of the platform');
};

const webhookToken = /^[\w-]{1,200}$/;

/** Where a webhook's posts go. The token alone is the right to post. */
export const webhookPath = (webhookId: string, token: Secret) => {
  requirePlatformId(webhookId);
  if (!webhookToken.test(token.reveal())) throw new Error('Not the token of a webhook');
  return `/webhooks/${webhookId}/${token.reveal()}` as const;
};

/** A path below the API's root, such as path`guilds/${guildId}/roles`; only ids can be inserted. */
export const path = (parts: TemplateStringsArray, ...ids: string[]) => {
  for (const id of ids) requirePlatformId(id);
  return `/${String.raw({ raw: parts }, ...ids)}` as const;
};

const inviteCode = /^[A-Za-z0-9-]{1,64}$/;

/** The path of an invite, or below it. */
export const invitePath = (code: string, below = '') => {
  if (!inviteCode.test(code)) throw new Error('Not the code of an invite');
  return `/invites/${code}${below}` as const;
};
