/** Why somebody in an incident could not be stopped. */
export const notStoppedCodes = [
  'OWNER',
  'OWN_TOKEN',
  'ROLE_TOO_HIGH',
  'MANAGED_ROLE',
  'EVERYONE',
  'OWN_OVERWRITE',
  'MISSING_PERMISSION',
  'BOT_UNUSABLE',
] as const;
export type NotStoppedCode = (typeof notStoppedCodes)[number];

/** The same in sentences, for the owner: why, and what to do about it. */
export const notStoppedTexts: Record<NotStoppedCode, { why: string; remedy: string }> = {
  OWNER: {
    why: 'They own the server.',
    remedy:
      'The platform lets nobody stop its owner. If their account was stolen, ask the platform for help.',
  },
  OWN_TOKEN: {
    why: 'It is your own bot.',
    remedy:
      'Somebody uses its token elsewhere. Reset the token at the platform, then enter the new one under Bots.',
  },
  ROLE_TOO_HIGH: {
    why: 'Their role is above that of the bot.',
    remedy:
      'In the role settings of the platform, drag the role of the bot above theirs. Or take their role by hand.',
  },
  MANAGED_ROLE: {
    why: 'An integration holds their role.',
    remedy: 'Remove the integration or take the role’s permissions by hand.',
  },
  EVERYONE: {
    why: 'Everyone has dangerous permissions.',
    remedy: 'Take them from the role @everyone.',
  },
  OWN_OVERWRITE: {
    why: 'They have permissions of their own in a channel.',
    remedy:
      'Take “Manage channel”, “Manage permissions” and “Manage webhooks” from them in the settings of the channel.',
  },
  MISSING_PERMISSION: {
    why: 'The bot lacks the permission.',
    remedy: 'Give it “Manage roles” and “Kick members”, or take their roles by hand.',
  },
  BOT_UNUSABLE: {
    why: 'The bot could not act.',
    remedy: 'See on its page what the platform refuses, or take their roles by hand.',
  },
};
