import { ChannelType } from '../channel/fields.ts';

/** The content of a generated guild. Positions follow the order of these lists. */
export const COMMUNITY_NAMES = [
  'Harbour Lights',
  'The Workshop',
  'Night Owls',
  'Trail and Summit',
  'Pixel Garden',
  'Open Kitchen',
  'Signal and Noise',
  'The Reading Room',
] as const;

type PlannedRole = {
  name: string;
  color: number;
  isHoisted: boolean;
  permissions: bigint;
  isMentionable?: boolean;
  isManaged?: boolean;
};

const MODERATOR_BITS = 0x0000_0100_0840_2086n;

/** From the bottom, just above @everyone, to the top. */
export const PLANNED_ROLES: PlannedRole[] = [
  { name: 'Muted', color: 0x546e7a, isHoisted: false, permissions: 0n },
  { name: 'Announcements', color: 0, isHoisted: false, permissions: 0n, isMentionable: true },
  { name: 'Member', color: 0x2ecc71, isHoisted: false, permissions: 0x400n },
  { name: 'Regular', color: 0x3498db, isHoisted: true, permissions: 0x400n },
  { name: 'Supporter', color: 0xe91e63, isHoisted: true, permissions: 0x40000n },
  {
    name: 'Event bot',
    color: 0x607d8b,
    isHoisted: false,
    permissions: 0x2000n,
    isManaged: true,
  },
  { name: 'Helper', color: 0x1abc9c, isHoisted: true, permissions: 0x2000n, isMentionable: true },
  { name: 'Moderator', color: 0xe67e22, isHoisted: true, permissions: MODERATOR_BITS },
  { name: 'Admin', color: 0xe74c3c, isHoisted: true, permissions: 0x8n },
];

export type PlannedChannel = {
  name: string;
  type: number;
  topic?: string;
  slowmodeS?: number;
  /** Only these roles can see it. */
  onlyFor?: string[];
  /** Everyone can read, only these roles can write. */
  writtenBy?: string[];
  tags?: string[];
  messages?: string[];
};

const { Text, Voice, Announcement, Stage, Forum } = ChannelType;

export const PLANNED_CATEGORIES: {
  name: string;
  onlyFor?: string[];
  channels: PlannedChannel[];
}[] = [
  {
    name: 'Welcome',
    channels: [
      {
        name: 'rules',
        type: Text,
        topic: 'Read before you write.',
        writtenBy: ['Admin'],
        messages: ['Be kind.', 'No advertising.', 'Ask a moderator when in doubt.'],
      },
      { name: 'news', type: Announcement, writtenBy: ['Admin', 'Moderator'] },
      { name: 'introductions', type: Text, slowmodeS: 60, messages: ['Hello everyone!'] },
    ],
  },
  {
    name: 'Talk',
    channels: [
      {
        name: 'general',
        type: Text,
        topic: 'Anything and everything.',
        messages: ['Good morning', 'Who is coming on Saturday?', 'I am', 'See you there'],
      },
      { name: 'off-topic', type: Text, slowmodeS: 5 },
      { name: 'pictures', type: Text },
      {
        name: 'help',
        type: Forum,
        topic: 'One question per post.',
        tags: ['Question', 'Solved', 'Idea'],
      },
    ],
  },
  {
    name: 'Voice',
    channels: [
      { name: 'Lounge', type: Voice },
      { name: 'Quiet corner', type: Voice },
      { name: 'Town hall', type: Stage, topic: 'Monthly meeting' },
      { name: 'Away', type: Voice },
    ],
  },
  {
    name: 'Team',
    onlyFor: ['Moderator', 'Admin'],
    channels: [
      { name: 'moderators', type: Text, topic: 'Cases and notes' },
      { name: 'community-updates', type: Text },
      { name: 'admins', type: Text, onlyFor: ['Admin'] },
      { name: 'Team room', type: Voice },
    ],
  },
];

export const EMOJI_NAMES = ['wave', 'lantern', 'thanks', 'party', 'thinking_hard', 'ship_it'];
export const NICKNAMES = [
  'Captain',
  'Night shift',
  'Tea first',
  'On holiday',
  'Map reader',
] as const;
export const BAN_REASONS = ['Spam', 'Advertising after two warnings', null] as const;
