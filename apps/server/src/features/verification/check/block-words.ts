import type { BlockReason } from '@holdfast/contract';

/** What helps somebody who was turned away. Never which rule it was, nor what it looked at. */
export const blockWords: Record<BlockReason, { title: string; sentence: string }> = {
  BLACKLIST: {
    title: 'You cannot come in',
    sentence: "The server's owner does not let this account in.",
  },
  FIREWALL: {
    title: 'You cannot come in',
    sentence:
      "The server's owner has set rules on who may come in, and one of them fits your account or connection.",
  },
  VPN: {
    title: 'Your connection looks like a VPN',
    sentence:
      'This server lets nobody in through VPNs and hosting networks. Switch it off, or use another connection such as mobile data, and try again.',
  },
  ALT: {
    title: 'You seem to be here already',
    sentence:
      'Another account was verified from your device or connection. People who share a home can look like this by mistake: if so, tell the owner below.',
  },
  ACCOUNT_AGE: {
    title: 'Your account is too new',
    sentence:
      'This server lets accounts in only once they have reached a certain age. Try again later, or tell the owner why they can trust you.',
  },
  CAPTCHA: {
    title: 'The check did not work',
    sentence: 'Your browser did not solve its task. Please try again.',
  },
};
