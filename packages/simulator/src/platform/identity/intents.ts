/** Intents that must be switched on in the application's settings, and their bits at the gateway. */
const PRIVILEGED_BITS = {
  GUILD_MEMBERS: 1 << 1,
  GUILD_PRESENCES: 1 << 8,
  MESSAGE_CONTENT: 1 << 15,
} as const;

export type PrivilegedIntent = keyof typeof PRIVILEGED_BITS;

export const PRIVILEGED_INTENTS: PrivilegedIntent[] = [
  'GUILD_MEMBERS',
  'GUILD_PRESENCES',
  'MESSAGE_CONTENT',
];

/** The privileged ones among intents given by name, or as the bits that a session identifies with. */
export const privilegedIntentsOf = (intents: readonly string[] | number): PrivilegedIntent[] =>
  PRIVILEGED_INTENTS.filter((intent) =>
    typeof intents === 'number'
      ? (intents & PRIVILEGED_BITS[intent]) !== 0
      : intents.includes(intent),
  );

/** An application in few guilds has the limited form of each flag. */
const LIMITED_FLAGS: Record<PrivilegedIntent, number> = {
  GUILD_PRESENCES: 1 << 13,
  GUILD_MEMBERS: 1 << 15,
  MESSAGE_CONTENT: 1 << 19,
};

export const flagsOfIntents = (intents: PrivilegedIntent[]): number =>
  intents.reduce((flags, intent) => flags | LIMITED_FLAGS[intent], 0);
