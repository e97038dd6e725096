import { type DraftStep, draftStep } from '../step.ts';
import type { PlanParts } from './parts-context.ts';
import { roleIconKey } from './pictures-to-compare.ts';

/**
 * An icon is set by a call of its own, so that where the platform refuses the picture nothing else of
 * the role is lost with it. Icons of the same bytes are the same picture, whatever the platform calls them.
 */
export const planRoleIcons = ({ context }: PlanParts): DraftStep[] => {
  const { snapshot, current, roleMatch, bot, lose } = context;
  const hasFeature = current.settings.features.includes('ROLE_ICONS');
  return (snapshot.roles ?? []).flatMap((saved) => {
    const { id: oldId, name, isManaged, iconHash, icon } = saved;
    const now = roleMatch.get(oldId);
    const isOurs = !isManaged && oldId !== snapshot.guildId && (!now || bot.reaches(now));
    if (!isOurs || iconHash === (now?.iconHash ?? null)) return [];
    const isSame = icon && now && current.pictureHashes?.[roleIconKey(now.id)] === icon.hash;
    if (isSame) return [];
    if (iconHash !== null && !icon) return [];
    if (iconHash !== null && !hasFeature) {
      lose('role', name, { code: 'noRoleIcons' });
      return [];
    }
    const action = { do: 'setRoleIcon', role: { backup: oldId }, icon: icon ?? null } as const;
    return [draftStep({ key: `icon of role ${oldId}`, stage: 'finish', name, action })];
  });
};
