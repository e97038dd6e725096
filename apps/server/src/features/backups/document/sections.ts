import type { SectionName } from '../snapshot/snapshot.ts';

/** What a document can say of a server. Events and webhooks are no structure, the rest is about people. */
export const documentSections = [
  'settings',
  'roles',
  'channels',
  'emojis',
  'stickers',
  'soundboard',
  'automod',
  'onboarding',
  'welcomeScreen',
] as const satisfies SectionName[];
