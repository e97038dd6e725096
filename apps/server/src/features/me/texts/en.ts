import type { Child } from 'hono/jsx';
import { formatsOf } from '../../../http/languages/formats.ts';

const { count } = formatsOf('en');

/** What a person's own pages say. The shape of all other languages. */
export const en = {
  title: 'Your data',
  signIn: {
    what: 'Sign in with the platform to see every server that keeps something about you. You can take back what you agreed to, export it, or have all of it erased.',
    only: 'We only ask the platform who you are, and keep no access token.',
    kept: {
      label: 'Stored',
      text: 'A server that you verify for stores when you did, your name, id and picture, and the country and network you come from. For 90 days it also stores hashes of your device and address, to detect second accounts.',
    },
    agreed: {
      label: 'Only if you agree',
      text: 'If you let the owner bring you back, an access token from the platform is stored, encrypted. If you withdraw, it is deleted and you stay verified.',
    },
    never: {
      label: 'Never',
      text: 'No server stores your password, your e-mail address or your IP address itself.',
    },
    button: 'Sign in with the platform',
  },
  signedInAs: (name: Child, username: Child, platformId: string): Child => [
    ...['You are signed in as ', name, ' (', username, '), platform id ', platformId, '.'],
  ],
  sessions: (sessions: number) =>
    `You have ${count(sessions, { one: '# session', other: '# sessions' })}.`,
  nothing: 'No server keeps anything about you.',
  ownersLists:
    'The lists by which an owner lets people in or keeps them out, bans included, are the owner’s own and are not shown here.',
  exportJson: 'Export as JSON',
  signOut: 'Sign out',
  yes: 'yes',
  no: 'no',
  kept: 'kept',
  notKept: 'not kept',
  membership: {
    verified: 'Verified',
    left: 'Seen to leave',
    name: 'Under the name',
    recovery: 'May the owner bring you back?',
    agreed: (at: string) => `yes, agreed ${at}`,
    roles: 'Roles and nickname for that',
    rolesKept: 'kept as last seen',
    rolesInBackups: 'none kept but in backups',
    token: 'Token for that',
    tokenKept: 'kept, encrypted',
    tokenNone: 'none kept',
    place: 'Country and region',
    network: 'Network',
    vpn: 'Taken for a VPN',
    alt: 'Taken for a second account',
    device: 'Hash of your device',
    created: 'Account made at the platform',
  },
  hashes: {
    label: 'Device and address',
    none: 'no hashes kept',
    device: (until: string) => `hashes of your device kept until ${until}`,
    address: (until: string) => `hashes of your address kept until ${until}`,
    both: (until: string) => `hashes of your address and device kept until ${until}`,
  },
  attempt: {
    label: 'Verification attempt',
    verified: 'verified',
    blocked: 'refused',
    unfinished: 'not finished',
    forgotten: (outcome: string, at: string) => `${outcome}, forgotten ${at}`,
  },
  join: {
    label: (at: string) => `Joined ${at}`,
    held: 'during a raid: the owner has to decide about you',
    noticed: 'kept for a time to notice raids',
  },
  incident: {
    label: (at: string) => `Incident of ${at}`,
    attack: 'what you did counts as an attack',
    stopped: 'what you did counts as an attack, and roles may have been taken from you',
  },
  acts: {
    label: 'Done in the server',
    entries: (entries: number) =>
      count(entries, { one: '# entry of its audit log', other: '# entries of its audit log' }),
  },
  appeal: {
    label: (at: string) => `Appeal of ${at}`,
    OPEN: 'open',
    ACCEPTED: 'accepted',
    REJECTED: 'rejected',
  },
  recall: {
    invited: (server: Child): Child => [
      ...['The owner invites you back to ', server],
      ': your permission to be brought back is no longer valid, so you join yourself.',
    ],
    open: 'Open the invite',
    until: (at: string) => `Only those it was made for can use it, until ${at}.`,
  },
  withdraw: {
    button: 'Do not bring me back',
    label: (server: string) => `Do not bring me back to ${server}`,
    stays: 'You stay verified.',
  },
  backups: {
    heading: 'In backups',
    intro: 'Owners back up their servers. These backups hold something about you:',
    ROLES_AND_NICKNAME: 'your roles and nickname',
    MESSAGES: 'messages that you wrote or that mention you',
    CHANNELS: 'permissions or mentions in channels',
    TEXTS: 'mentions in descriptions',
    within: (kind: string, backups: number) =>
      `${kind}, in ${count(backups, { one: 'one backup', other: '# backups' })}`,
    saved: (at: string) => `saved ${at}`,
    savedBetween: (from: string, to: string) => `saved between ${from} and ${to}`,
  },
  erase: {
    heading: 'Erase everything',
    what: 'Every server forgets you at once: that you were verified, what you agreed to, your tokens, your appeals and your sessions. Backups hide you at once, so that no restore brings back your roles, your nickname or your messages, and within 24 hours you are removed from the stored backups themselves.',
    stays:
      'What stays: roles you have on the platform (to leave a server, leave it there), and your platform id alone in lists that owners keep themselves, such as bans, denied channels and rules, and in their audit log. If you verify again, later backups may hold you again.',
    /** What the person types to confirm. */
    word: 'ERASE',
    label: (word: string) => `Type ${word} to confirm`,
    unconfirmed: (word: string) => `Nothing was erased: the word was not ${word}.`,
    submit: 'Erase everything about me',
  },
  erased: {
    title: 'Everything is erased',
    heading: 'Everything about you is erased',
    text: 'No server that uses Holdfast shows anything about you any more, and your tokens are being given back to the platform. No backup brings you back; within 24 hours you are removed from the stored backups themselves. You are signed out.',
    owners:
      'Owners may have your platform id in lists of their own, bans included, and their log says that you asked for this.',
  },
};

export type MeTexts = typeof en;
