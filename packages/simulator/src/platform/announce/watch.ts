import type {
  AutomodRule,
  Onboarding,
  ScheduledEvent,
  Sound,
  WelcomeScreen,
} from '../guild/community.ts';
import type { Message, Thread, Webhook } from '../guild/conversation.ts';
import type {
  Ban,
  Channel,
  Emoji,
  Guild,
  GuildSettings,
  Invite,
  Member,
  Role,
  Sticker,
} from '../guild/guild.ts';

type Parts = {
  settings: GuildSettings;
  roles: Role;
  channels: Channel;
  threads: Thread;
  emojis: Emoji;
  stickers: Sticker;
  bans: Ban;
  members: Member;
  messages: Message;
  invites: Invite;
  webhooks: Webhook;
  automod: AutomodRule;
  onboarding: Onboarding;
  welcomeScreen: WelcomeScreen;
  events: ScheduledEvent;
  soundboard: Sound;
};

export type Part = keyof Parts;

/** One thing of a guild that was made (no `before`), changed or removed (no `after`). */
export type DifferenceOf<P extends Part> = {
  part: P;
  id: string;
  before: Parts[P] | undefined;
  after: Parts[P] | undefined;
};

export type Difference = { [P in Part]: DifferenceOf<P> }[Part];

/** Parts of a guild as they were. Encoded, since a change may reach into an object. */
export type Watched = {
  guild: Guild;
  parts: { part: Part; id?: string; was: Map<string, string> }[];
};

/** Remembers whole parts of a guild, or single things of them, before they are changed. */
export const watch = (guild: Guild, ...wanted: (Part | [part: Part, id: string])[]): Watched => ({
  guild,
  parts: wanted.map((one) => {
    const [part, id] = typeof one === 'string' ? [one, undefined] : one;
    return { part, id, was: encodeAll(guild, part, id) };
  }),
});

/** To watch these channels and no others. */
export const each = (channels: Channel[]): ['channels', string][] =>
  channels.map(({ id }) => ['channels', id]);

/** What is different now, in the same guild or in the one that took its place. */
export const compare = ({ guild, parts }: Watched, now: Guild = guild): Difference[] =>
  parts.flatMap(({ part, id, was }) => {
    const is = encodeAll(now, part, id);
    const ids = [...new Set([...was.keys(), ...is.keys()])];
    const differences = ids
      .filter((one) => was.get(one) !== is.get(one))
      .map((one) => {
        const [before, after] = [decode(was.get(one)), decode(is.get(one))];
        // Each part was encoded from things of its own type.
        return { part, id: one, before, after } as Difference;
      })
      // The order of fields is no difference.
      .filter(({ before, after }) => !Bun.deepEquals(before, after));
    const isMade = ({ before, after }: Difference) => !before || !after;
    // What came or went first, then what was moved by it.
    return [...differences.filter(isMade), ...differences.filter((one) => !isMade(one))];
  });

const decode = (text: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text);

const encodeAll = (guild: Guild, part: Part, id: string | undefined): Map<string, string> => {
  const things = thingsOf(guild, part);
  const encoded = new Map<string, string>();
  if (id === undefined) {
    for (const [key, thing] of things) encoded.set(key, encode(thing));
  } else {
    const thing = things.get(id);
    if (thing) encoded.set(id, encode(thing));
  }
  return encoded;
};

const thingsOf = (guild: Guild, part: Part): Map<string, object> => {
  if (part === 'settings' || part === 'onboarding' || part === 'welcomeScreen') {
    return new Map([[guild.id, guild[part]]]);
  }
  if (part !== 'messages') return guild[part];
  return new Map([...guild.messages.values()].flatMap((messages) => [...messages]));
};

/** What moves by itself as people write and join is no change of the thing. */
const encode = (thing: object): string =>
  JSON.stringify({
    ...thing,
    last_message_id: undefined,
    total_message_sent: undefined,
    uses: undefined,
  });
