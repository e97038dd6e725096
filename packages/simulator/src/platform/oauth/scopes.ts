/**
 * Every scope of the platform, with its label on the authorize page. Tokens encode scopes by their
 * index in this list: new ones go to its end.
 */
const scopeLabels = [
  ['identify', 'Know your username and avatar'],
  ['email', 'See your email address'],
  ['connections', 'See the accounts you have connected elsewhere'],
  ['guilds', 'See which servers you are in'],
  ['guilds.join', 'Add you to servers, now and later'],
  ['guilds.members.read', 'See your nickname and roles in your servers'],
  ['gdm.join', 'Add you to group conversations'],
  ['bot', 'Bring a bot into a server you choose'],
  ['rpc', 'Control your desktop client'],
  ['rpc.notifications.read', 'Read your notifications'],
  ['rpc.voice.read', 'Read your voice settings'],
  ['rpc.voice.write', 'Change your voice settings'],
  ['rpc.video.read', 'Read your video settings'],
  ['rpc.video.write', 'Change your video settings'],
  ['rpc.screenshare.read', 'See whether you share your screen'],
  ['rpc.screenshare.write', 'Change how you share your screen'],
  ['rpc.activities.write', 'Change the activity your desktop client shows'],
  ['webhook.incoming', 'Post into a channel you choose'],
  ['messages.read', 'Read your messages'],
  ['applications.builds.upload', 'Upload builds of your applications'],
  ['applications.builds.read', 'Read builds of your applications'],
  ['applications.commands', 'Add commands to a server you choose'],
  ['applications.commands.permissions.update', 'Change who may use its commands'],
  ['applications.commands.update', 'Change its own commands'],
  ['applications.store.update', 'Change the store pages of your applications'],
  ['applications.entitlements', 'Read what was bought in your applications'],
  ['activities.read', 'See what you play'],
  ['activities.write', 'Change the activity you show'],
  ['activities.invites.write', 'Invite others to your activity'],
  ['relationships.read', 'See who your friends are'],
  ['voice', 'Connect to voice for you'],
  ['dm_channels.read', 'See your direct conversations'],
  ['role_connections.write', 'Update what your linked roles are based on'],
  ['openid', 'Know your user id and basic profile'],
] as const;

export const allScopes: string[] = scopeLabels.map(([scope]) => scope);

const labelByScope = new Map<string, string>(scopeLabels);

export const labelOfScope = (scope: string): string => labelByScope.get(scope) ?? scope;

/** The scopes of a space-separated list without duplicates; undefined if it is empty or one is unknown. */
export const parseScopes = (text: string): string[] | undefined => {
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))];
  const areKnown = scopes.every((scope) => labelByScope.has(scope));
  return scopes.length > 0 && areKnown ? scopes : undefined;
};

/** A set of scopes as one number, which takes few characters in a token. */
export const maskOfScopes = (scopes: string[]): bigint =>
  scopes.reduce((mask, scope) => mask | (1n << BigInt(allScopes.indexOf(scope))), 0n);

export const scopesOfMask = (mask: bigint): string[] =>
  allScopes.filter((_, index) => ((mask >> BigInt(index)) & 1n) === 1n);
