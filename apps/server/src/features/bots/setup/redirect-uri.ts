/** Where the platform sends people back to after they have authorized a bot's application. */
export const callbackPath = '/verify/callback';

/** The bot's own address if it leads to this service. */
export const redirectUriOf = (bot: { redirectUri: string }, baseUrl: string): string =>
  isUnder(bot.redirectUri, baseUrl) ? bot.redirectUri : usualRedirectUri(baseUrl);

export const usualRedirectUri = (baseUrl: string): string => `${baseUrl}${callbackPath}`;

const isUnder = (address: string, baseUrl: string): boolean => {
  const url = URL.parse(address);
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/*$/, '/');
  return url !== null && url.origin === base.origin && url.pathname.startsWith(root);
};
