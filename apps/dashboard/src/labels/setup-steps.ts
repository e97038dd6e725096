/** What is true of an account and its server, as far as the set-up is concerned. */
export type SetupFacts = {
  hasBot: boolean;
  server:
    | {
        id: string;
        hasVerifiedRole: boolean;
        hasPostedPanel: boolean;
        hasSchedule: boolean;
        hasBackup: boolean;
        hasLogChannel: boolean;
      }
    | undefined;
};

export type SetupStep = {
  key: 'bot' | 'server' | 'role' | 'panel' | 'schedule' | 'backup' | 'alerts';
  title: string;
  detail: string;
  isDone: boolean;
  /** Where it is done; undefined until there is a server. */
  to: string | undefined;
  action: string;
};

/** In an address: whoever comes from the checklist is led back to it. */
export const inSetup = 'setup';

/** From an empty account to a protected server, in the order in which it is done. */
export const setupSteps = ({ hasBot, server }: SetupFacts): SetupStep[] => {
  const inServer = (path: string) => server && `/servers/${server.id}${path}`;
  return [
    {
      ...{ key: 'bot', title: 'Add your bot', isDone: hasBot },
      detail: 'Your own application on the platform: members give their consent to it.',
      ...{ to: '/servers/new', action: 'Add a bot' },
    },
    {
      ...{ key: 'server', title: 'Add your server', isDone: server !== undefined },
      detail: 'Invite the bot, then choose the server by its name.',
      ...{ to: '/servers/new', action: 'Add a server' },
    },
    {
      ...{ key: 'role', title: 'Choose the verified role' },
      isDone: server?.hasVerifiedRole === true,
      detail: 'Everybody who verifies gets it. Let only this role see your channels.',
      ...{ to: inServer('/settings#role'), action: 'Choose a role' },
    },
    {
      ...{ key: 'panel', title: 'Post the verify button' },
      isDone: server?.hasPostedPanel === true,
      detail: 'A message in a channel of yours, with the button that opens the verification.',
      ...{ to: inServer(`/panels/new?${inSetup}`), action: 'Make a panel' },
    },
    {
      ...{ key: 'schedule', title: 'Switch on automatic backups' },
      isDone: server?.hasSchedule === true,
      detail: 'Once a day, each tested by a restore on a model. You can change it in the settings.',
      ...{ to: inServer('/settings#backups'), action: 'Back up daily' },
    },
    {
      ...{ key: 'backup', title: 'Take the first backup', isDone: server?.hasBackup === true },
      detail: 'From then on damage is noticed and can be repaired.',
      ...{ to: inServer('/backups'), action: 'Back up now' },
    },
    {
      ...{ key: 'alerts', title: 'Get alerts where you see them' },
      isDone: server?.hasLogChannel === true,
      detail: 'Urgent alerts are posted in the channel for reports, beside the mail to you.',
      ...{ to: inServer('/settings#reports'), action: 'Choose a channel' },
    },
  ];
};

/** The first that is open and can be done now. */
export const nextStep = (steps: SetupStep[]): SetupStep | undefined =>
  steps.find(({ isDone, to }) => !isDone && to !== undefined);
