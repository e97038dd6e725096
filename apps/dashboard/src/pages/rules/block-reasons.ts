import type { BlockReason } from '@holdfast/contract';

/** What somebody was turned away for, and what letting them in would mean. */
export const blockReasons: Record<BlockReason, { label: string; about: string }> = {
  BLACKLIST: {
    label: 'Blacklist',
    about:
      'They are on your blacklist, which is stronger than the whitelist: take them off it too.',
  },
  FIREWALL: { label: 'Firewall', about: 'A rule of your firewall fits them.' },
  VPN: { label: 'VPN', about: 'Their connection looks like a VPN or a hosting network.' },
  ALT: {
    label: 'Second account',
    about:
      'Somebody was verified from their device or connection before. A shared home looks like this, too.',
  },
  ACCOUNT_AGE: { label: 'Account age', about: 'Their account is younger than you ask for.' },
  CAPTCHA: { label: 'Captcha', about: 'Their browser did not solve its task.' },
};
