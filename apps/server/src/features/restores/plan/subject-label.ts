import type { SubjectType } from './action.ts';

const labels: Partial<Record<SubjectType | 'message', string>> = {
  automod: 'AutoMod rule',
  welcomeScreen: 'welcome screen',
};

/** What people call a sort of thing. */
export const subjectLabel = (type: SubjectType | 'message'): string => labels[type] ?? type;
