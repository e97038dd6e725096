/** The groups of endpoints, in reading order. */
export const tagDescriptions: Record<string, string> = {
  Account: 'The account of the key, the limits of its plan, and its subscription.',
  Bots: 'Your own bots, which verify newcomers and pull members. Credentials are never returned.',
  Servers: 'Your communities: their guilds on the platform, and how newcomers are checked.',
  Members: 'The people who verified on a server, and who of them consented to be pulled.',
  Backups: 'Snapshots of a server: roles, channels, settings and other components.',
  Restores: 'Bringing a server, or another of yours, to the state of a backup.',
  Protection:
    'How a server is protected from attackers and raids, and the incidents that were contained.',
  Pulls:
    'Adding members who consented to a guild. A pull runs in the background; its record shows the progress.',
  Firewall:
    'Rules that block newcomers by address, network, country and more. Blacklist and whitelist are checked first.',
  Whitelist: 'Rules that override the firewall. Every plan includes them.',
  Blacklist:
    'Platform users who cannot verify on any of your servers. It overrides every other rule.',
  Appeals: 'Requests of blocked newcomers to be let in after all.',
  Analytics: 'How many people reached each step of verification, and why others were blocked.',
  Alerts:
    'What happened that the owner should know, and where it is told: by mail, in the log channel, in the dashboard.',
  Marketplace: 'Listings of templates, designs, bots and services, and the orders placed on them.',
  Billing: 'Your balance, its transactions and the payments behind them.',
  'API keys':
    'Creating and revoking keys with a key. A new key cannot have a scope that the calling key lacks.',
  Audit:
    'What was changed, when and by whom, as a chain of hashes that reveals a missing or altered entry.',
  'Verify page': 'How the page on which newcomers verify looks.',
  Panels: 'Messages in your channels with a button that opens the verification.',
  Uploads: 'Pictures for what people see of your communities.',
  Webhooks: 'Events of payment providers, which sign each request and use no key.',
  Health: 'For operators: liveness, readiness, metrics.',
};
