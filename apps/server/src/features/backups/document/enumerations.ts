import {
  contentFilters,
  forumLayouts,
  notificationLevels,
  onboardingModes,
  promptTypes,
  sortOrders,
  verificationLevels,
} from '@holdfast/contract';

/** The platform's numbers, which count from zero, and their names; a number without a name stays one. */
const enumeration = <Name extends string>(names: readonly Name[]) => ({
  nameOf: (value: number): Name | number => names[value] ?? value,
  valueOf: (name: Name | number): number => (typeof name === 'number' ? name : names.indexOf(name)),
});

export const verificationLevel = enumeration(verificationLevels);
export const notificationLevel = enumeration(notificationLevels);
export const contentFilter = enumeration(contentFilters);
export const sortOrder = enumeration(sortOrders);
export const forumLayout = enumeration(forumLayouts);
export const onboardingMode = enumeration(onboardingModes);
export const promptType = enumeration(promptTypes);
