import { atPace, type Doing } from './at-pace.ts';
import type { Hand } from './hand.ts';
import { type HonestAct, honestRoles } from './honest-act.ts';

/**
 * What people and bots of a community do at one sitting. Where the sizes and paces come from:
 *
 * - Bans: a community with hundreds of thousands of members reported 941 in half a year, five a day, most
 *   for advertising and hacked accounts (blog.ays.gg/transparency-report-q2). Those come in small waves: a
 *   handful of accounts in one evening. In the client a ban takes a menu, a reason and a confirmation.
 * - Moderators of larger communities work through a bot, which then is the executor for all of them
 *   (wiki.restless.systems, Discord Moderation Guide).
 * - Voice channels: a bot looks once a minute and deletes all that are empty, one after the other
 *   (github.com/mrphlip/lrrbot/pull/266), or each as its last guest leaves.
 * - Tickets: one is up to three channels, which go together (github.com/nwplus/Factotum/pull/110); what is
 *   closed for days is deleted by a task that runs now and then (github.com/ralphkb/sentinel-tickets/issues/84).
 * - Roles: menus with up to 20 choices (github.com/botlabs-gg/yagpdb/issues/216), and commands that give a
 *   role to many people, as fast as the platform's limits let them
 *   (github.com/TeamBulbbot/bulbbot/issues/77).
 * - A clean-up moves most dead channels to an archive and deletes few, each after a look into it
 *   (discords.space, Debris Clearance).
 * - Emojis: 50 places without boosts, so a season's set replaces another.
 *
 * A raid with fifty accounts (github.com/botlabs-gg/yagpdb/issues/833) is no ordinary day and not in it.
 */
type Sitting = (hand: Hand, startMs: number) => HonestAct[];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const moderators = honestRoles.filter((one) => one.startsWith('moderator'));
const moderator = (hand: Hand) => hand.pick(moderators);
const admin = (hand: Hand) => hand.pick(honestRoles.filter((one) => one.startsWith('admin')));
const list = <Item>(length: number, make: (n: number) => Item): Item[] =>
  Array.from({ length }, (_, n) => make(n));
const upTo = (hand: Hand, of: string, most: number, wanted: number): number =>
  Math.min(hand.left(of, most), wanted);

const makeChannel = (makes: string, body: object): Doing => ({
  ...{ method: 'POST', path: '/guilds/{guild}/channels', body, makes },
});
const deleteChannel = (name: string): Doing => ({ method: 'DELETE', path: `/channels/{${name}}` });

/** Opened by members over hours; closed one at a time by a button, or several by the task. */
const tickets: Sitting = (hand, startMs) => {
  const isSwept = hand.chance(0.15);
  const count = isSwept ? hand.count(2, 6) : 1;
  const opened = list(count, () => {
    const parts = hand.chance(0.15) ? hand.count(2, 3) : 1;
    return list(parts, () => hand.name('ticket'));
  });
  const made = opened.flatMap((names) => {
    const openMs = startMs + hand.between(0, 6 * hour);
    const pace = { by: 'ticketBot', startMs: openMs, fromS: 0.3, toS: 1 } as const;
    const member = `{member-${hand.count(0, 99)}}`;
    const first = `/channels/{${names[0]}}/permissions/${member}`;
    return atPace(hand, pace, [
      ...names.map((name) => makeChannel(name, { name: 'ticket', permission_overwrites: [] })),
      { method: 'PUT', path: first, body: { type: 1, allow: '3072', deny: '0' } },
    ]);
  });
  const closeMs = startMs + 6 * hour + hand.between(10 * minute, 14 * hour);
  const pace = { by: 'ticketBot', startMs: closeMs, fromS: 0.15, toS: 0.8 } as const;
  return [...made, ...atPace(hand, pace, opened.flat().map(deleteChannel))];
};

/** Each group leaves its room at its own time; those that end in one minute go in one round. */
const voices: Sitting = (hand, startMs) => {
  const names = list(hand.chance(0.25) ? hand.count(2, 4) : 1, () => hand.name('voice'));
  const made = names.flatMap((name) => {
    const at = startMs + hand.between(0, 20 * minute);
    const pace = { by: 'voiceBot', startMs: at, fromS: 0.3, toS: 1 } as const;
    return atPace(hand, pace, [makeChannel(name, { name: 'Lounge', type: 2 })]);
  });
  const emptyMs = startMs + 20 * minute + hand.between(2 * minute, 3 * hour);
  const pace = { by: 'voiceBot', startMs: emptyMs, fromS: 0.15, toS: 0.5 } as const;
  return [...made, ...atPace(hand, pace, names.map(deleteChannel))];
};

const toggleRole = (hand: Hand, role: number): Doing => ({
  method: 'PUT',
  path: `/guilds/{guild}/members/{member-${hand.count(0, 199)}}/roles/{role-${role}}`,
});

/** One member at a menu, many after an announcement, or one role for all who took part. */
const chosenRoles: Sitting = (hand, startMs) => {
  const length = hand.weighted([
    [hand.count(1, 5), 80],
    [hand.count(10, 60), 4],
  ]);
  const pace = { by: 'roleBot', startMs, fromS: 0.3, toS: hand.chance(0.5) ? 1 : 9 } as const;
  return atPace(
    hand,
    pace,
    list(length, () => toggleRole(hand, hand.count(0, 9))),
  );
};

const ban = (hand: Hand): Doing => ({
  ...{ method: 'PUT', path: `/guilds/{guild}/bans/{${hand.name('user')}}`, body: {} },
});

/** By hand: mostly one; in a wave of spam one or two moderators work on it together. */
const bans: Sitting = (hand, startMs) => {
  const isWave = hand.chance(0.2);
  const first = moderator(hand);
  const second = hand.pick(moderators.filter((one) => one !== first));
  const people = isWave && hand.chance(0.4) ? [first, second] : [first];
  return people.flatMap((by) => {
    const pace = { by, startMs, fromS: 5, toS: 15 };
    const length = isWave ? hand.count(2, 5) : 1;
    return atPace(
      hand,
      pace,
      list(length, () => ban(hand)),
    );
  });
};

/** By commands of several moderators and by filters: the bot is named as who did it. */
const bansByBot: Sitting = (hand, startMs) => {
  const length = hand.chance(0.2) ? hand.count(3, 10) : 1;
  const pace = { by: 'modBot', startMs, fromS: 0.5, toS: 10 } as const;
  return atPace(
    hand,
    pace,
    list(length, () => ban(hand)),
  );
};

const kicks: Sitting = (hand, startMs) => {
  const length = upTo(hand, 'kicked', 100, hand.chance(0.3) ? hand.count(2, 3) : 1);
  const pace = { by: moderator(hand), startMs, fromS: 5, toS: 30 };
  return atPace(
    hand,
    pace,
    list(length, () => ({
      method: 'DELETE',
      path: `/guilds/{guild}/members/{member-${200 + hand.next('kicked')}}`,
    })),
  );
};

/** Names that do not fit. */
const corrections: Sitting = (hand, startMs) => {
  const pace = { by: moderator(hand), startMs, fromS: 3, toS: 20 };
  return atPace(
    hand,
    pace,
    list(hand.count(1, 3), () => ({
      ...{ method: 'PATCH', path: `/guilds/{guild}/members/{member-${hand.count(0, 199)}}` },
      body: { nick: hand.name('sailor') },
    })),
  );
};

/** Winners of an evening get their role, by hand. */
const handedOut: Sitting = (hand, startMs) => {
  const role = hand.count(10, 14);
  const pace = { by: moderator(hand), startMs, fromS: 3, toS: 12 };
  return atPace(
    hand,
    pace,
    list(hand.count(3, 20), () => toggleRole(hand, role)),
  );
};

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The set of a season: the old ones go one by one, the new ones are dropped in together. */
const emojis: Sitting = (hand, startMs) => {
  const count = hand.count(4, 8);
  const pace = { by: admin(hand), startMs, fromS: 2, toS: 6 };
  const old = list(upTo(hand, 'dropped', 60, count), (): Doing => {
    return { method: 'DELETE', path: `/guilds/{guild}/emojis/{emoji-${hand.next('dropped')}}` };
  });
  const gone = atPace(hand, pace, old);
  const startNewMs = (gone.at(-1)?.atMs ?? startMs) + hand.between(10, 120) * second;
  const fresh = list(upTo(hand, 'uploaded', 60, count), () => ({
    ...{ method: 'POST' as const, path: '/guilds/{guild}/emojis' },
    body: { name: `wave_${hand.next('uploaded')}`, image: picture },
  }));
  return [...gone, ...atPace(hand, { ...pace, startMs: startNewMs, fromS: 0.3, toS: 1 }, fresh)];
};

const editChannel = (hand: Hand): Doing => {
  const path = `/channels/{channel-${hand.count(0, 29)}}`;
  if (hand.chance(0.6)) return { method: 'PATCH', path, body: { topic: hand.name('topic') } };
  const body = { type: 0, allow: String(harmlessBits(hand)), deny: '0' };
  return { method: 'PUT', path: `${path}/permissions/{role-${hand.count(0, 9)}}`, body };
};

/** To see, write, react, attach and read on. */
const harmlessBits = (hand: Hand): number =>
  [1024, 2048, 64, 32_768, 65_536]
    .filter(() => hand.chance(0.5))
    .reduce((all, bit) => all | bit, 0);

/** Topics, slow mode and who sees what. */
const channelWork: Sitting = (hand, startMs) =>
  atPace(
    hand,
    { by: admin(hand), startMs, fromS: 8, toS: 90 },
    list(hand.count(1, 5), () => editChannel(hand)),
  );

/** Nobody writes while a quarrel cools down, and again after it: by one command. */
const lockdown: Sitting = (hand, startMs) => {
  const channels = list(hand.count(3, 12), (n) => `/channels/{channel-${n}}/permissions/{role-20}`);
  const pace = { by: 'modBot', fromS: 0.2, toS: 0.6 } as const;
  const close = channels.map((path) => ({
    ...{ method: 'PUT' as const, path, body: { type: 0, allow: '0', deny: '2048' } },
  }));
  const open = channels.map((path) => ({ method: 'DELETE' as const, path }));
  const laterMs = startMs + hand.between(5 * minute, 2 * hour);
  return [
    ...atPace(hand, { ...pace, startMs }, close),
    ...atPace(hand, { ...pace, startMs: laterMs }, open),
  ];
};

/** A project's channels, a role, and feeds, each address pasted elsewhere before the next is made. */
const building: Sitting = (hand, startMs) => {
  const by = admin(hand);
  const rooms = list(upTo(hand, 'built', 60, hand.count(1, 4)), () =>
    makeChannel(hand.name('project'), { name: `project-${hand.next('built')}` }),
  );
  const ranks = list(upTo(hand, 'ranks', 40, hand.count(0, 2)), () => ({
    ...{ method: 'POST' as const, path: '/guilds/{guild}/roles' },
    body: { name: `rank-${hand.next('ranks')}`, permissions: '0' },
  }));
  const feeds = list(upTo(hand, 'relays', 29, hand.count(0, 3)), () => ({
    ...{ method: 'POST' as const, path: `/channels/{channel-${hand.next('relays')}}/webhooks` },
    body: { name: 'Feed' },
  }));
  const made = atPace(hand, { by, startMs, fromS: 10, toS: 90 }, [...rooms, ...ranks]);
  const laterMs = made.at(-1)?.atMs ?? startMs;
  return [...made, ...atPace(hand, { by, startMs: laterMs, fromS: 20, toS: 120 }, feeds)];
};

/** One or two admins go through the list: much is edited or archived, a few channels and roles go. */
const reorganisation: Sitting = (hand, startMs) => {
  const people = hand.chance(0.3) ? (['admin-0', 'admin-1'] as const) : ([admin(hand)] as const);
  return people.flatMap((by) => {
    const edits = list(hand.count(8, 20), () => editChannel(hand));
    const gone = list(upTo(hand, 'closed', 60, hand.count(2, 4)), () =>
      deleteChannel(`channel-${30 + hand.next('closed')}`),
    );
    const roles = list(upTo(hand, 'oldRoles', 4, hand.count(0, 2)), () => ({
      method: 'DELETE' as const,
      path: `/guilds/{guild}/roles/{role-${21 + hand.next('oldRoles')}}`,
    }));
    // Where something is left out of the list depends on where it stands in it.
    const inAnyOrder = [...edits, ...gone, ...roles]
      .map((doing) => ({ doing, at: hand.between(0, 1) }))
      .sort((one, other) => one.at - other.at)
      .map(({ doing }) => doing);
    return atPace(hand, { by, startMs, fromS: 8, toS: 60 }, inAnyOrder);
  });
};

/** The owner goes through what nobody uses any more. */
const springCleaning: Sitting = (hand, startMs) =>
  atPace(hand, { by: 'owner', startMs, fromS: 4, toS: 20 }, [
    ...list(upTo(hand, 'cleaned', 30, hand.count(6, 15)), () =>
      deleteChannel(`channel-${90 + hand.next('cleaned')}`),
    ),
    ...list(upTo(hand, 'cleanedRoles', 5, hand.count(2, 5)), () => ({
      method: 'DELETE' as const,
      path: `/guilds/{guild}/roles/{role-${15 + hand.next('cleanedRoles')}}`,
    })),
  ]);

export const sittings: readonly (readonly [Sitting, weight: number])[] = [
  [tickets, 220],
  [voices, 220],
  [chosenRoles, 550],
  [bans, 35],
  [bansByBot, 20],
  [kicks, 25],
  [corrections, 120],
  [handedOut, 20],
  [emojis, 6],
  [channelWork, 60],
  [lockdown, 4],
  [building, 14],
  [reorganisation, 6],
  [springCleaning, 3],
];
