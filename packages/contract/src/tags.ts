/** What the endpoints are grouped by, in reading order. */
export const tagDescriptions: Record<string, string> = {
  Account: 'Who the key belongs to, what their plan allows, and how their subscription stands.',
  Bots: 'Your own bots, through which newcomers are verified and members called back. Credentials go in and never come out.',
  Servers:
    'The communities you look after: where they live on the platform, and how newcomers are checked.',
  Members:
    'The people who passed verification on a server, and who of them agreed to be called back.',
  Backups: 'Snapshots of a server: roles, channels, settings and what else you ask for.',
  Restores: 'Putting a backup back in place, on the same server or on another of yours.',
  Pulls:
    'Calling members back who agreed to it. A pull runs in the background; its record shows how far it is.',
  Firewall:
    'Rules that turn newcomers away, by address, network, country and more. The blacklist and the whitelist are asked first.',
  Whitelist: 'Rules that let a newcomer pass whatever the firewall says. Every plan has them.',
  Blacklist:
    'Platform users who can verify on none of your servers, whatever any other rule says about them.',
  Appeals: 'Newcomers who were turned away and ask you to look again.',
  Analytics: 'How many people reached each step of verification, and what stopped the others.',
  Marketplace: 'Listings of templates, designs, bots and services, and the orders placed on them.',
  Billing: 'Your balance, what moved it, and the payments behind it.',
  'API keys':
    'Minting and revoking keys with a key. A new key can hold no scope that its maker lacks.',
  Audit:
    'What was changed, when and by whom, as a chain of hashes: a missing or altered entry shows.',
  Webhooks: 'What payment providers send. They sign each request and use no key.',
  Health: 'For those who run the service: alive, ready, measurements.',
};
