import type { RestorePlan } from '../queries/records.ts';
import {
  colorText,
  contentFilterLabels,
  notificationLabels,
  verificationLevelLabels,
} from './contents.ts';
import { formatCount } from './format.ts';
import { describePartValue } from './part-changes.ts';

export type Change = RestorePlan['update'][number]['changes'][number];
type Value = Change['from'];

/** The platform's names of fields, in the reader's words; others are shown as they are. */
const fieldLabels: Record<string, string> = {
  actions: 'What happens',
  afk_channel_id: 'Channel for idle members',
  afk_timeout: 'Seconds until idle',
  available_tags: 'Tags',
  avatar: 'Picture',
  banner: 'Banner',
  bitrate: 'Bitrate',
  channel_id: 'Channel',
  color: 'Colour',
  colors: 'Colours',
  default_auto_archive_duration: 'Minutes until threads are archived',
  default_channel_ids: 'Default channels',
  default_forum_layout: 'Layout of the forum',
  default_message_notifications: 'Notifications',
  default_reaction_emoji: 'Default reaction',
  default_sort_order: 'Order of posts',
  default_thread_rate_limit_per_user: 'Slow mode of threads',
  description: 'Description',
  discovery_splash: 'Picture in discovery',
  emoji_id: 'Emoji',
  emoji_name: 'Emoji',
  enabled: 'Switched on',
  entity_metadata: 'Place',
  entity_type: 'Kind of place',
  event_type: 'Checked',
  exempt_channels: 'Channels that it leaves alone',
  exempt_roles: 'Roles that it leaves alone',
  explicit_content_filter: 'Media filter',
  features: 'Features',
  flags: 'Flags',
  hoist: 'Shown apart from others',
  icon: 'Picture',
  image: 'Picture',
  mentionable: 'Anyone can mention it',
  mode: 'What counts for it',
  name: 'Name',
  nick: 'Nickname',
  nsfw: 'Age restricted',
  parent_id: 'Category',
  permission_overwrites: 'Who may do what',
  permissions: 'Permissions',
  position: 'Order',
  preferred_locale: 'Language',
  premium_progress_bar_enabled: 'Boost progress bar',
  prompts: 'Questions',
  public_updates_channel_id: 'Channel for updates of the platform',
  rate_limit_per_user: 'Slow mode in seconds',
  recurrence_rule: 'Repeated',
  roles: 'Roles',
  rtc_region: 'Voice region',
  rules_channel_id: 'Rules channel',
  safety_alerts_channel_id: 'Channel for safety alerts',
  scheduled_end_time: 'End',
  scheduled_start_time: 'Start',
  splash: 'Picture of invites',
  system_channel_flags: 'System messages',
  system_channel_id: 'System channel',
  tags: 'Related emoji',
  topic: 'Topic',
  trigger_metadata: 'What it looks for',
  type: 'Kind',
  unicode_emoji: 'Emoji',
  user_limit: 'Most members at once',
  verification_level: 'Verification',
  video_quality_mode: 'Video quality',
  volume: 'Volume',
  welcome_channels: 'Channels shown',
  widget_channel_id: 'Channel of the widget',
  widget_enabled: 'Widget',
};

export const fieldLabel = (field: string): string =>
  fieldLabels[field] ?? field.replaceAll('_', ' ');

/** The permissions of one role or person in a channel, as they were and will be. */
export type OverwriteChange = {
  id: string;
  name: string;
  allowed: Difference;
  denied: Difference;
};

type Difference = { added: string[]; removed: string[] };

/** A change in the form in which it is shown. */
export type ChangeView =
  | { kind: 'permissions'; difference: Difference }
  | { kind: 'overwrites'; roles: OverwriteChange[] }
  | { kind: 'order'; names: string[] }
  | { kind: 'colors'; from: string[]; to: string[] }
  | { kind: 'text'; from: string; to: string };

/** The name of a channel or role by its id, if it is known. */
export type NameOf = (platformId: string) => string | undefined;

export const viewChange = (change: Change, nameOf: NameOf = () => undefined): ChangeView => {
  const { field, from, to } = change;
  if (field === 'permissions' && isTexts(from) && isTexts(to)) {
    return { kind: 'permissions', difference: compare(from, to) };
  }
  if (field === 'permission_overwrites') {
    return {
      kind: 'overwrites',
      roles: compareOverwrites(readOverwrites(from), readOverwrites(to)),
    };
  }
  if (field === 'position' && Array.isArray(to)) {
    return { kind: 'order', names: to.map((name) => showValue(name)) };
  }
  if (field === 'color' || field === 'colors') {
    return { kind: 'colors', from: readColors(from), to: readColors(to) };
  }
  const show = (value: Value) =>
    valueLabel(field, value) ?? describePartValue(field, value, nameOf) ?? showValue(value, nameOf);
  return { kind: 'text', from: show(from), to: show(to) };
};

/** The platform's numbers in the order of its own list. */
const numbered: Record<string, string[]> = {
  verification_level: Object.values(verificationLevelLabels),
  default_message_notifications: Object.values(notificationLabels),
  explicit_content_filter: Object.values(contentFilterLabels),
};

const pictures = ['icon', 'banner', 'splash', 'discovery_splash', 'image', 'avatar'];

/** In words, where the value itself says nothing to a reader. */
const valueLabel = (field: string, value: Value): string | undefined => {
  if (pictures.includes(field)) return value === null ? 'none' : 'another picture';
  return typeof value === 'number' ? numbered[field]?.[value] : undefined;
};

/** A role has one colour, or up to three that run into each other. */
const readColors = (value: Value): string[] => {
  const parts: unknown[] =
    typeof value === 'object' && value !== null ? Object.values(value) : [value];
  return parts.flatMap((part) => (typeof part === 'number' ? (colorText(part) ?? []) : []));
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

const compare = (before: readonly string[], after: readonly string[]): Difference => ({
  added: after.filter((name) => !before.includes(name)),
  removed: before.filter((name) => !after.includes(name)),
});

type Overwrite = { id: string; name: string; allow: string[]; deny: string[] };

const readOverwrites = (value: Value): Map<string, Overwrite> => {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return new Map(
    entries.flatMap((entry) => {
      if (typeof entry !== 'object' || entry === null || !('id' in entry)) return [];
      const id = String(entry.id);
      const isPerson = 'type' in entry && entry.type === 'member';
      const name =
        'name' in entry && typeof entry.name === 'string'
          ? entry.name
          : isPerson
            ? `Person ${id}`
            : `Role ${id}`;
      const texts = (list: unknown) => (isTexts(list) ? list : []);
      const allow = texts('allow' in entry ? entry.allow : []);
      const deny = texts('deny' in entry ? entry.deny : []);
      return [[id, { id, name, allow, deny }]];
    }),
  );
};

const compareOverwrites = (
  before: Map<string, Overwrite>,
  after: Map<string, Overwrite>,
): OverwriteChange[] =>
  [...new Set([...after.keys(), ...before.keys()])].flatMap((id) => {
    const [was, will] = [before.get(id), after.get(id)];
    const allowed = compare(was?.allow ?? [], will?.allow ?? []);
    const denied = compare(was?.deny ?? [], will?.deny ?? []);
    const isSame = [allowed, denied].every(
      ({ added, removed }) => added.length + removed.length === 0,
    );
    return isSame ? [] : [{ id, name: (will ?? was)?.name ?? id, allowed, denied }];
  });

/** A value of any field as text; ids of channels and roles as their names. */
const showValue = (value: unknown, nameOf?: NameOf): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'string') return nameOf?.(value) ?? value;
  if (Array.isArray(value)) {
    return value.length === 0 ? 'none' : value.map((entry) => showEntry(entry, nameOf)).join(', ');
  }
  return JSON.stringify(value);
};

const showEntry = (entry: unknown, nameOf?: NameOf): string =>
  typeof entry === 'object' && entry !== null && 'name' in entry
    ? showValue(entry.name)
    : showValue(entry, nameOf);
