/** The stops of the way in. */
export const visitPath = (serverId: string): string => `/verify/${serverId}`;
export const checkPath = (serverId: string): string => `/verify/${serverId}/check`;
export const appealPath = (serverId: string): string => `/verify/${serverId}/appeal`;
export const donePath = (serverId: string): string => `/verify/${serverId}/done`;
export const callbackPath = '/verify/callback';
export const checkScriptPath = '/pages/check.js';

/** Where the platform sends people back to: the bot's own address where that leads to us. */
export const redirectUriOf = (bot: { redirectUri: string }, baseUrl: string): string =>
  isUnder(bot.redirectUri, baseUrl) ? bot.redirectUri : `${baseUrl}${callbackPath}`;

const isUnder = (address: string, baseUrl: string): boolean => {
  const url = URL.parse(address);
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/*$/, '/');
  return url !== null && url.origin === base.origin && url.pathname.startsWith(root);
};
