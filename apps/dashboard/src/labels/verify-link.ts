/** The page on which newcomers of a server verify. */
export const verifyLink = (serverId: string, origin = location.origin): string =>
  `${origin}/verify/${serverId}`;

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

/** A link that looks like a button, for any page. */
export const verifyButtonHtml = (link: string, serverName: string): string =>
  `<a href="${escapeHtml(link)}" rel="noopener" style="${buttonStyle}">Verify for ${escapeHtml(serverName)}</a>`;

export const verifyInvitation = (link: string, serverName: string): string =>
  `Welcome to ${serverName}!\nPlease verify to get in. It takes less than a minute and opens in your browser:\n${link}`;
