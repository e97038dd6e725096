/** What the owner should know, though nothing is lost by it. Stored as codes; the sentence is for people. */
export type Note =
  /** A role of a bot or an integration that is not in the target. */
  | { code: 'managedRoleMissing'; name: string }
  /** What goes with the channels that are deleted, and that no backup brings back. */
  | { code: 'deletedWithChannels'; channels: number }
  /** The backup is older than permissions that were part of others then. */
  | { code: 'olderThanPermissions'; permissions: string[] };

export const describeNote = (note: Note): string => {
  switch (note.code) {
    case 'managedRoleMissing':
      return `Role ${note.name} belongs to a bot or an integration: it returns when you invite the bot or connect the integration again.`;
    case 'deletedWithChannels':
      return `${countChannels(note.channels)} deleted, and with ${note.channels === 1 ? 'it' : 'them'} all messages, threads, webhooks and invites there; a widget that points there is emptied.`;
    case 'olderThanPermissions':
      return `This backup is older than the permissions ${note.permissions.join(', ')}: it does not say who has them, so roles and channels come back without them.`;
  }
};

const countChannels = (count: number): string =>
  count === 1 ? '1 channel is' : `${count} channels are`;
