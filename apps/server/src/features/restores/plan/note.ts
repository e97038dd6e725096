/** What the owner should know, though nothing is lost by it. Stored as codes; the sentence is for people. */
export type Note =
  /** A role of a bot or an integration that is not in the target. */
  { code: 'managedRoleMissing'; name: string };

export const describeNote = (note: Note): string => {
  switch (note.code) {
    case 'managedRoleMissing':
      return `Role ${note.name} belongs to a bot or an integration: it returns when you invite the bot or connect the integration again.`;
  }
};
