/** What a generated community is run with. Channels and roles are named as in content.ts. */
export const AUTOMOD_RULES = [
  {
    name: 'Blocked words',
    trigger_type: 1,
    trigger_metadata: {
      keyword_filter: ['*free nitro*', 'casino*'],
      regex_patterns: ['(?i)cheap\\s+followers'],
      allow_list: ['casino royale'],
    },
    actions: [{ type: 1, metadata: { custom_message: 'Please no advertising.' } }],
    alertsTeam: true,
  },
  {
    name: 'Mention spam',
    trigger_type: 5,
    trigger_metadata: { mention_total_limit: 8, mention_raid_protection_enabled: true },
    actions: [{ type: 1, metadata: {} }],
    alertsTeam: false,
  },
];

export const DEFAULT_CHANNELS = [
  'rules',
  'news',
  'introductions',
  'general',
  'off-topic',
  'pictures',
  'help',
];

export const ONBOARDING_PROMPT = {
  title: 'What are you here for?',
  options: [
    {
      title: 'Announcements',
      description: 'Tell me what is new',
      emoji: '📣',
      role: 'Announcements',
    },
    { title: 'Talk', description: '', emoji: '💬', channel: 'general' },
    { title: 'Help', description: 'I have a question', emoji: '🛟', channel: 'help' },
  ],
};

export const WELCOME_CHANNELS = [
  { channel: 'rules', description: 'Read before you write', emoji: '📜' },
  { channel: 'introductions', description: 'Say hello', emoji: '👋' },
  { channel: 'help', description: 'Ask a question', emoji: '🛟' },
];

/** Far ahead, so that it is in the future whenever the guild is made. */
export const EVENTS_FROM_MS = Date.UTC(2035, 0, 6, 18);

export const SOUNDS = [
  { name: 'Foghorn', emoji: '📯', volume: 1 },
  { name: 'Seagull', emoji: '🕊️', volume: 0.6 },
];

export const FORUM_POSTS = [
  {
    name: 'How do I join the Saturday tour?',
    tags: ['Question', 'Solved'],
    messages: ['Where do we meet?', 'At the old pier, at nine.'],
    isArchived: true,
  },
  {
    name: 'A quiet hour in the lounge',
    tags: ['Idea'],
    messages: ['Could we have one every evening?', 'I would come.'],
    isArchived: false,
  },
];
