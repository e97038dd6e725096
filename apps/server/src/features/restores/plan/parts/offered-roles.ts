import type { Onboarding } from '../../../../platform/guild-parts.ts';

/** The roles that newcomers can give themselves. */
export const rolesOffered = ({ prompts }: Onboarding): string[] => [
  ...new Set(prompts.flatMap(({ options }) => options.flatMap(({ roleIds }) => roleIds))),
];

export const offeringOnly = (
  all: Onboarding,
  isOffered: (roleId: string, optionId: string) => boolean,
): Onboarding => ({
  ...all,
  prompts: all.prompts.map((prompt) => ({
    ...prompt,
    options: prompt.options.map((option) => ({
      ...option,
      roleIds: option.roleIds.filter((id) => isOffered(id, option.id)),
    })),
  })),
});
