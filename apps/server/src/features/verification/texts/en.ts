import type { Child } from 'hono/jsx';
import { formatsOf } from '../../../http/languages/formats.ts';

const { count } = formatsOf('en');

/** What the pages of a verification say. The shape of all other languages. */
export const en = {
  visit: {
    title: (server: string) => `Verify for ${server}`,
    heading: 'Verify to come in',
    why: (server: Child): Child => [server, ' wants to know that newcomers are real people.'],
    stepsWithRole: 'One minute: you sign in, your browser does a small task, you get your role.',
    steps: 'One minute: you sign in, your browser does a small task, and you are done.',
    asked: 'What is asked',
    askedOfPlatform: 'Your name, id and picture on the platform. Never your password or messages.',
    askedGuilds: 'Also, once, which servers you are in. The list is not stored.',
    optional: 'Optional',
    recovery: 'Let the owner bring me back if the server is lost',
    recoveryMeans:
      'If it is deleted or taken over, the owner may add you to the new server. You can withdraw this at any time.',
    submit: 'Verify me',
    stored: 'What is stored, and for how long',
    storedOfYou:
      'Your name, id and picture, the country and network you come from, and for 90 days hashes of your device and address, to detect second accounts. The address itself is not stored.',
    storedForRecovery:
      'Only if you let the owner bring you back: an access token from the platform, encrypted. If you withdraw, it is deleted and you stay verified.',
    source: 'Network data by DB-IP',
  },
  stricter: {
    title: 'The checks are stricter at the moment,',
    because: 'because very many people came to this server at once.',
    youngAccounts: (days: number) =>
      `Accounts younger than ${count(days, { one: '# day', other: '# days' })} cannot be verified now.`,
    later: 'If you are turned away, try again later today.',
  },
  /** What a person who comes back finds on the first page. */
  standing: {
    verified: {
      title: 'You are verified here.',
      text: 'Verify again only if your role is missing or you want to change your choice.',
    },
    held: {
      title: 'You are waiting for the owner.',
      text: 'They look at everybody who came at the same moment.',
    },
    refused: { title: 'Your last attempt was refused.', text: 'You can try again.' },
    appealOpen: {
      title: 'The owner has your message.',
      text: 'They have not decided yet.',
    },
    appealAccepted: {
      title: 'The owner lets you in.',
      text: 'Verify once more, and you are in.',
    },
    appealRejected: {
      title: 'The owner has declined your appeal.',
      text: 'You can still try again.',
    },
    more: 'More about this',
  },
  check: {
    title: (server: string) => `Checking your browser for ${server}`,
    heading: 'One moment',
    hello: (name: Child): Child => ['Hello, ', name, '.'],
    task: 'Your browser is solving a small task. It takes a few seconds, and this page then goes on by itself.',
    scriptsOff: 'Scripts are switched off.',
    allowScript:
      'This check needs one: please allow it for this page and reload. It comes from this site and talks to nobody else.',
    allowScripts: 'This check needs them: please allow them for this page and reload.',
    signedIn:
      'You are signed in. This page continues automatically; if it does not, press the button.',
    widget: 'Please show that you are a person, then continue.',
    continue: 'Continue',
    trouble: 'Your browser could not finish the check. Reload this page, or try another browser.',
    tryAgain: 'Try again',
    lookAgain: 'Look again',
  },
  captcha: {
    title: 'The check did not work',
    wrong: 'The task was not solved correctly.',
    stale: 'The task was used before or took too long.',
    missing: 'The task was not solved. It needs scripts: please allow them for this page.',
    unreachable: 'The check cannot be made at the moment. Please wait a little.',
  },
  noFingerprint: {
    title: 'Your browser could not be identified',
    message:
      'This server compares devices, to keep out people who come a second time. Allow scripts for this page and switch off extensions that stop them. Only a hash of your device is stored, for 90 days.',
  },
  held: {
    title: 'Please wait for the owner',
    message:
      'You joined at the same moment as very many others, so the server’s owner looks at all of you first. Nothing is wrong with your answers: open this page again later.',
  },
  /** They never say which rule matched, nor what it was compared with. */
  blocked: {
    BLACKLIST: {
      title: 'You cannot come in',
      message: 'The server’s owner does not let this account in.',
    },
    FIREWALL: {
      title: 'You cannot come in',
      message:
        'The server’s owner has set rules on who may come in, and one of them fits your account or connection.',
    },
    VPN: {
      title: 'Your connection looks like a VPN',
      message:
        'This server lets nobody in through VPNs and hosting networks. Switch it off, or use another connection such as mobile data, and try again.',
    },
    ALT: {
      title: 'You seem to be here already',
      message:
        'Another account was verified from your device or connection. People who share a home can look like this by mistake: if so, tell the owner below.',
    },
    ACCOUNT_AGE: {
      title: 'Your account is too new',
      message:
        'This server lets accounts in only once they have reached a certain age. Try again later, or tell the owner why they can trust you.',
    },
    CAPTCHA: {
      title: 'The check did not work',
      message: 'Your browser did not solve its task. Please try again.',
    },
  },
  appeal: {
    heading: 'A mistake?',
    label: 'Tell the owner why they should let you in:',
    hint: (most: number) =>
      `Up to ${count(most, { one: '# character', other: '# characters' })}. They see your name and id with it.`,
    invalid: (most: number) =>
      `Please write between 1 and ${count(most, { one: '# character', other: '# characters' })}.`,
    submit: 'Send to the owner',
    open: {
      title: 'Waiting for the owner',
      sent: 'The owner has your message.',
      text: 'They have not decided yet. Open this page again later: it shows what they decided.',
    },
    accepted: {
      title: 'The owner lets you in',
      text: 'Your appeal was accepted. Verify once more, and you are in.',
      verify: 'Verify once more',
    },
    rejected: {
      title: 'The owner has declined your appeal',
      text: 'They read your message and do not let this account in.',
      again: 'Write to the owner again',
    },
  },
  done: {
    title: (server: string) => `Verified for ${server}`,
    heading: 'You are verified',
    roleComing: 'Your role is on its way. This page looks again by itself.',
    allDone: 'All done. You can close this page and go back to the server.',
    recoveryYes: 'The owner may bring you back if the server is lost, as you agreed.',
    recoveryNo:
      'You did not agree to be brought back if the server is lost. To change that, verify again.',
    verifyAgain: 'Verify again',
  },
  /** Why the role is not given yet, or not at all. */
  role: {
    platformSilent:
      'The platform does not answer at the moment. Your role comes as soon as it does: you can close this page.',
    notInServer: 'You are not in the server yet. Join it, then verify once more to get your role.',
    missingPermission:
      'The server’s bot may not give you the role. Please tell the owner: the bot needs the right to manage roles, and a place above this one.',
    roleGone:
      'The role that you should get does not exist any more. Please tell the server’s owner.',
    roleWithheld:
      'The role you should get gives more permissions than anybody has confirmed. You get it as soon as the owner of the server has settled that.',
    failed:
      'The server’s bot could not give you the role. Please tell the server’s owner; you are verified all the same.',
  },
  errors: {
    stateInvalid: {
      title: 'Please start again',
      message:
        'This step was used before, took longer than it may, or began in another browser. If you were verified before, you still are. If it happens again, allow cookies for this page.',
    },
    declined: {
      title: 'You did not agree',
      message: 'Nothing was stored. You can start again whenever you like.',
    },
    signInRefused: {
      title: 'Please start again',
      message: 'The platform did not accept this sign-in. Nothing was stored.',
    },
    scopeWithheld: {
      title: 'A permission is missing',
      message:
        'This server asks for everything that the platform showed you, and part of it was taken out of the address. Nothing was stored. Start again and leave the address as it is.',
    },
    scopesChanged: {
      title: 'Please start again',
      message:
        'The server now asks for one thing more than when you began. Nothing was stored; it takes a moment.',
    },
    platformUnreachable: {
      title: 'The platform does not answer',
      message: 'Nothing was stored. Wait a moment, then start again.',
    },
    botUnusable: {
      title: 'Verification is closed for now',
      message:
        'The server’s bot cannot be used at the moment. The server’s owner can fix this: please tell them.',
    },
    startAgain: 'Start again',
    openLink: 'Open the server’s verification link again to start from the beginning.',
  },
  tooManyAttempts: {
    title: 'Too many attempts',
    message:
      'Somebody at your address tried very often. Nothing was stored. Wait a minute, then open the server’s verification link again.',
  },
  noServer: {
    title: 'There is no such server here',
    message: 'The link may be mistyped or old. Ask the server’s owner for a new one.',
  },
};

export type VerificationTexts = typeof en;
