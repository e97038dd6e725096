/** What was done, as the log names it and as people say it. */
export const actionWords: Record<string, string> = {
  'account.update': 'Changed the account',
  'appeal.accept': 'Accepted an appeal',
  'appeal.reject': 'Rejected an appeal',
  'backup.complete': 'Completed a backup',
  'backup.create': 'Started a backup',
  'backup.delete': 'Deleted a backup',
  'backup.redact': 'Took erased people out of a backup',
  'backup.expire': 'Dropped a backup that was past its time',
  'backup.fail': 'Failed to take a backup',
  'billing.mail_skipped': 'Left out a mail about a payment',
  'blacklist.create': 'Blacklisted somebody',
  'blacklist.delete': 'Took somebody off the blacklist',
  'bot.create': 'Added a bot',
  'bot.deactivate': 'Switched off a bot whose token was refused',
  'bot.delete': 'Deleted a bot',
  'bot.update': 'Changed a bot',
  'firewallRule.create': 'Added a firewall rule',
  'firewallRule.delete': 'Deleted a firewall rule',
  'invoice.create': 'Made an invoice',
  'invoice.pay': 'Paid an invoice',
  'invoice.remove': 'Removed an unpaid invoice',
  'key.create': 'Minted an API key',
  'key.revoke': 'Revoked an API key',
  'ledger.refund': 'Refunded a payment',
  'listing.create': 'Put something up for sale',
  'listing.update': 'Changed a listing',
  'member.deauthorize': 'Lost a member’s authorization at the platform',
  'member.erase': 'Erased a member at their own wish',
  'member.withdraw': 'Took note that a member withdrew consent',
  'members.seed': 'Made up members',
  'order.cancel': 'Cancelled an order',
  'order.complete': 'Completed an order',
  'order.confirm': 'Confirmed a delivery',
  'order.create': 'Placed an order',
  'order.credit': 'Credited a late payment',
  'order.deliver': 'Delivered an order',
  'order.dispute': 'Held the money of a disputed order',
  'order.dispute_lost': 'Lost a dispute about an order',
  'order.dispute_won': 'Won a dispute about an order',
  'order.expire': 'Let an unpaid order expire',
  'order.fail': 'Failed to deliver an order',
  'order.late_payment': 'Received a payment too late',
  'order.pay': 'Paid an order',
  'order.refund': 'Refunded an order',
  'order.return_payment': 'Gave a late payment back',
  'payout.create': 'Asked for a payout',
  'payout.pay': 'Paid out',
  'plan.change': 'Changed the plan',
  'plan.set': 'Set the plan',
  'pull.cancel': 'Cancelled a pull',
  'pull.create': 'Started a pull',
  'pull.end': 'Ended a pull',
  'restore.cancel': 'Cancelled a restore',
  'restore.create': 'Started a restore',
  'restore.end': 'Ended a restore',
  'server.create': 'Added a server',
  'server.delete': 'Deleted a server',
  'server.update': 'Changed a server’s settings',
  'subscription.attach': 'Linked a subscription',
  'subscription.dispute_lost': 'Ended a subscription whose payment was charged back',
  'subscription.dispute_open': 'Held a subscription whose payment is disputed',
  'subscription.dispute_won': 'Won a dispute about a subscription',
  'subscription.lapse': 'Ended a subscription that was not paid',
  'whitelistRule.create': 'Added a whitelist rule',
  'whitelistRule.delete': 'Deleted a whitelist rule',
};

/** What things are called; one that is not here is told by its own name. */
export const subjectWords: Record<string, string> = {
  account: 'Account',
  appeal: 'Appeal',
  backup: 'Backup',
  blacklistEntry: 'Blacklist entry',
  bot: 'Bot',
  charge: 'Charge',
  firewallRule: 'Firewall rule',
  invoice: 'Invoice',
  key: 'API key',
  listing: 'Listing',
  member: 'Member',
  order: 'Order',
  payout: 'Payout',
  pull: 'Pull',
  restore: 'Restore',
  server: 'Server',
  subscription: 'Subscription',
  user: 'Account',
  whitelistRule: 'Whitelist rule',
};

export const actionText = (action: string): string => actionWords[action] ?? spacedWords(action);

export const subjectText = (type: string): string => subjectWords[type] ?? spacedWords(type);

/** `minAccountAgeDays` as "Min account age days". */
export const spacedWords = (name: string): string => {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[._]/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
