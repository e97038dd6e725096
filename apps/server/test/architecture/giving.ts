import type { ConversationPlatform } from '../../src/platform/conversation.ts';
import type { BotPlatform, GuildPlatform } from '../../src/platform/port.ts';
import type { SourceFile } from './source-file.ts';

const features = 'apps/server/src/features/';

/** Who decides that a role, or an overwrite, may be given: nobody else makes what these calls take. */
const judges = [
  `${features}servers/power/judge-roles.ts`,
  `${features}servers/power/judge-overwrite.ts`,
];

const runStep = `${features}restores/run/run-step.ts`;
const runPart = `${features}restores/run/run-part.ts`;
const makeInGuild = `${features}servers/setup/make-in-guild.ts`;

/** What changes a guild, by all calls that features see: a new one does not compile until it stands below. */
type Change = Exclude<
  keyof GuildPlatform | keyof ConversationPlatform | keyof BotPlatform,
  `read${string}` | `find${string}` | 'guild' | 'conversation' | 'guildExists'
>;

/** By these nobody gets a role, an overwrite or a permission. */
const harmless = [
  'deleteRole',
  'setRoleIcon',
  'deleteChannel',
  'deleteInvite',
  'editSettings',
  'setWidget',
  'setWelcomeScreen',
  'pauseOnboarding',
  'pauseInvites',
  'createEmoji',
  'editEmoji',
  'deleteEmoji',
  'createSticker',
  'editSticker',
  'deleteSticker',
  'ban',
  'unban',
  'banMany',
  'kick',
  'createAutomodRule',
  'editAutomodRule',
  'deleteAutomodRule',
  'createEvent',
  'editEvent',
  'deleteEvent',
  'createSound',
  'editSound',
  'deleteSound',
  'createWebhook',
  'editWebhook',
  'deleteWebhook',
  'createPostingWebhook',
  'sendMessage',
  'postLinkMessage',
  'editLinkMessage',
  'deleteMessage',
  'post',
  'pinMessage',
  'startThread',
  'editThread',
] as const satisfies readonly Change[];

/**
 * What a change gives. `judged`: a role or an overwrite, of a type that only the judge makes.
 * Else it does not ask the judge, and only these files make it. Each has a rule of its own: a restore goes by its plan and closes what was
 * opened, whoever was stopped gets back no more than was taken, channels are set apart by what the bot itself is
 * allowed, what is made in the set-up gives nothing, and an invite is judged again before others are let in. The
 * onboarding is judged by the restore right before it is set.
 */
const given: Record<Exclude<Change, (typeof harmless)[number]>, 'judged' | readonly string[]> = {
  giveRole: 'judged',
  giveRoles: 'judged',
  addMember: 'judged',
  giveOverwrite: 'judged',
  createInvite: 'judged',
  editMember: [
    `${features}protection/contain/stop-call.ts`,
    `${features}protection/incidents/return-roles.ts`,
    `${features}restores/run/edit-member.ts`,
    runStep,
  ],
  setOverwrite: [
    `${features}protection/contain/take-overwrites.ts`,
    `${features}protection/contain/apart.ts`,
    `${features}protection/incidents/return-overwrites.ts`,
  ],
  createRole: [runStep, makeInGuild],
  editRole: [runStep],
  placeRoles: [runStep],
  createChannel: [runStep, makeInGuild],
  editChannel: [
    runStep,
    `${features}restores/run/close-opened.ts`,
    `${features}restores/run/keep-apart.ts`,
  ],
  // A channel in another category follows that one where both have the same overwrites.
  placeChannels: [runStep],
  setOnboarding: [runPart],
  // Whoever is let in gets the roles of the invite.
  setInviteUsers: [
    `${features}pulls/recall/ensure-recall.ts`,
    `${features}pulls/recall/end-powerful.ts`,
    `${features}pulls/recall/jobs.ts`,
  ],
};

/** Called, also by a function of that name, handed on, or taken out of the port. */
const isUsed = (name: string) =>
  new RegExp(`\\.${name}\\b|\\b${name}\\(|\\['${name}'\\]|\\{[^{}]*\\b${name}\\b[^{}]*\\}\\s*=`);

/** Where power could be given without the judge. */
export const findUnjudgedGiving = ({ path, text }: SourceFile): string[] => {
  if (path.startsWith('apps/server/src/platform/')) return [];
  const casts =
    /\bas\s+(?:unknown\s+as\s+)?[\w<>[\]\s]*Givable(?:RoleId|Overwrite)\b/.test(text) &&
    !judges.includes(path);
  const calls = Object.entries(given)
    .filter(([name, by]) => by !== 'judged' && !by.includes(path) && isUsed(name).test(text))
    .map(([name]) => `${path} calls ${name}, which asks nobody whether it gives power`);
  return [
    ...calls,
    ...(casts ? [`${path} makes what may be given: ask judgeRoles or judgeOverwrite`] : []),
  ];
};
