import type { SourceFile } from './source-file.ts';

const features = 'apps/server/src/features/';

/** Who decides that a role, or an overwrite, may be given: nobody else makes what these calls take. */
const judges = [
  `${features}servers/power/judge-roles.ts`,
  `${features}servers/power/judge-overwrite.ts`,
];

const runStep = `${features}restores/run/run-step.ts`;
const makeInGuild = `${features}servers/setup/make-in-guild.ts`;

/**
 * The calls of the platform that can give somebody a role, an overwrite or a permission and do not ask the
 * judge, with the files that make them. Each has a rule of its own: a restore goes by its plan and closes what was opened, whoever was
 * stopped gets back no more than was taken, channels are set apart by what the bot itself is allowed, and what is made in
 * the set-up gives nothing. The onboarding is judged by the restore right before it is set.
 */
const callers: Record<string, readonly string[]> = {
  editMember: [
    `${features}protection/contain/stop-call.ts`,
    `${features}protection/incidents/return-roles.ts`,
    `${features}restores/run/edit-member.ts`,
  ],
  setOverwrite: [
    `${features}protection/contain/take-overwrites.ts`,
    `${features}protection/contain/apart.ts`,
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
  setOnboarding: [`${features}restores/run/run-part.ts`],
};

/** Called, handed on, or taken out of the port. */
const isUsed = (name: string) => new RegExp(`\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\}\\s*=`);

/** Where power could be given without the judge. */
export const findUnjudgedGiving = ({ path, text }: SourceFile): string[] => {
  if (path.startsWith('apps/server/src/platform/')) return [];
  const casts =
    /\bas\s+(?:unknown\s+as\s+)?[\w<>[\]\s]*Givable(?:RoleId|Overwrite)\b/.test(text) &&
    !judges.includes(path);
  const calls = Object.entries(callers)
    .filter(([name, files]) => !files.includes(path) && isUsed(name).test(text))
    .map(([name]) => `${path} calls ${name}, which asks nobody whether it gives power`);
  return [
    ...calls,
    ...(casts ? [`${path} makes what may be given: ask judgeRoles or judgeOverwrite`] : []),
  ];
};
