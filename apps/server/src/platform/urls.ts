const realCdn = 'https://cdn.discordapp.com';
const realMediaProxy = 'https://media.discordapp.net';

/** Where the API is, without the version that every call adds. */
export const normalizeApiUrl = (url: string): string => {
  const { origin, pathname } = new URL(url);
  const root = pathname.replace(/\/+$/, '').replace(/\/v10$/, '');
  return `${origin}${root === '' ? '/api' : root}`;
};

/** Where the pictures of that platform are. */
export const cdnUrlOf = (apiUrl: string): string => {
  const { hostname, origin } = new URL(apiUrl);
  const isReal = hostname === 'discord.com' || hostname.endsWith('.discord.com');
  return isReal ? realCdn : `${origin}/cdn`;
};

/** The real platform keeps stickers that are GIFs on another host than everything else. */
export const mediaUrlOf = (cdnUrl: string): string =>
  cdnUrl === realCdn ? realMediaProxy : cdnUrl;
