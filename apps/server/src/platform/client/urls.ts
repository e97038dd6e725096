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
  const isReal = hostname === 'discord.com' || hostname.endsWith('.discord.com');
  return isReal ? realCdn : `${origin}/cdn`;
};

/** The real platform serves GIF stickers from another host than everything else. */
export const mediaUrlOf = (cdnUrl: string): string =>
  cdnUrl === realCdn ? realMediaProxy : cdnUrl;

const platformId = /^\d{1,20}$/;

/** Ids become parts of URLs: untrusted text must not redirect a request to another path. */
export const requirePlatformId = (id: string): void => {
  if (!platformId.test(id)) throw new Error('Not an id of the platform');
};

/** A path below the API's root, such as path`guilds/${guildId}/roles`; only ids can be inserted. */
export const path = (parts: TemplateStringsArray, ...ids: string[]) => {
  for (const id of ids) requirePlatformId(id);
  return `/${String.raw({ raw: parts }, ...ids)}` as const;
};
