import { formatCount, formatPercent, formatTime, plural } from './format.ts';

/** Values of AutoMod rules, onboarding, welcome screen and events, whose fields are objects, in words. */

type NameOf = (platformId: string) => string | undefined;
type Shape = Record<string, unknown>;

const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const shapesIn = (value: unknown): Shape[] => (Array.isArray(value) ? value.filter(isShape) : []);
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const listOf = (parts: (string | undefined)[], separator = '; '): string =>
  parts.filter((part) => part !== undefined).join(separator) || 'none';

type Describe = (value: unknown, nameOf: NameOf) => string;

const describeTrigger: Describe = (value) => {
  if (!isShape(value)) return 'none';
  const words = (label: string, list: unknown) =>
    textsIn(list).length > 0 ? `${label} ${textsIn(list).join(', ')}` : undefined;
  const limit = value.mention_total_limit;
  return listOf([
    words('words', value.keyword_filter),
    words('patterns', value.regex_patterns),
    Array.isArray(value.presets) && value.presets.length > 0
      ? plural(value.presets.length, 'word list of the platform', 'word lists of the platform')
      : undefined,
    words('except', value.allow_list),
    typeof limit === 'number' ? `more than ${plural(limit, 'mention')}` : undefined,
    value.mention_raid_protection_enabled === true ? 'raids of mentions' : undefined,
  ]);
};

const blockMessage = 1;
const sendAlert = 2;
const timeOut = 3;

const describeAction = ({ type, metadata }: Shape, nameOf: NameOf): string => {
  const details = isShape(metadata) ? metadata : {};
  const channel = textOf(details.channel_id);
  if (type === blockMessage) {
    const message = textOf(details.custom_message);
    return message ? `block the message, saying “${message}”` : 'block the message';
  }
  if (type === sendAlert) return `report it in ${namesOf([channel], nameOf)}`;
  if (type === timeOut && typeof details.duration_seconds === 'number') {
    return `time out for ${formatCount(details.duration_seconds)} s`;
  }
  return 'another action';
};

const namesOf = (ids: (string | undefined)[], nameOf: NameOf): string =>
  listOf(
    ids.map((id) => id && (nameOf(id) ?? id)),
    ', ',
  );

const describePrompts: Describe = (value, nameOf) =>
  listOf(
    shapesIn(value).map(({ title, options }) => {
      const answers = shapesIn(options).map((option) => {
        const gives = [...textsIn(option.role_ids), ...textsIn(option.channel_ids)];
        return `${textOf(option.title) ?? 'An answer'} (${namesOf(gives, nameOf)})`;
      });
      return `${textOf(title) ?? 'A question'} – ${listOf(answers, ', ')}`;
    }),
  );

const describeWelcome: Describe = (value, nameOf) =>
  listOf(
    shapesIn(value).map(({ channel_id, description }) => {
      const name = namesOf([textOf(channel_id)], nameOf);
      return textOf(description) ? `${name}: ${textOf(description)}` : name;
    }),
  );

const describeTime: Describe = (value) =>
  typeof value === 'string' && value !== '' ? formatTime(value) : 'none';

/** From the platform's name of a field; fields that are not here need no words of their own. */
const describers: Record<string, Describe> = {
  trigger_metadata: describeTrigger,
  actions: (value, nameOf) => listOf(shapesIn(value).map((one) => describeAction(one, nameOf))),
  prompts: describePrompts,
  welcome_channels: describeWelcome,
  entity_metadata: (value) => (isShape(value) ? (textOf(value.location) ?? 'none') : 'none'),
  recurrence_rule: (value) => (isShape(value) ? 'repeated' : 'once'),
  scheduled_start_time: describeTime,
  scheduled_end_time: describeTime,
  volume: (value) => (typeof value === 'number' ? formatPercent(value) : 'none'),
};

/** Undefined for all other fields. */
export const describePartValue = (
  field: string,
  value: unknown,
  nameOf: NameOf,
): string | undefined => describers[field]?.(value, nameOf);
