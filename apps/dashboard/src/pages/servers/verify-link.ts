/** Where newcomers of a server prove that they are welcome. */
export const verifyLinkOf = (serverId: string, origin = location.origin): string =>
  `${origin}/verify/${serverId}`;

/** Where the platform sends members back to; it must be registered there. */
export const redirectUriOf = (origin = location.origin): string => `${origin}/verify/callback`;

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

const buttonStyle =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#0f5f66;color:#fff;font-family:sans-serif;text-decoration:none';

/** A link that looks like a button, to be pasted into any page. */
export const embedOf = (link: string, serverName: string): string =>
  `<a href="${escapeHtml(link)}" rel="noopener" style="${buttonStyle}">Verify for ${escapeHtml(serverName)}</a>`;

export const invitationOf = (link: string, serverName: string): string =>
  `Welcome to ${serverName}!\nPlease verify to get in. It takes less than a minute and opens in your browser:\n${link}`;
