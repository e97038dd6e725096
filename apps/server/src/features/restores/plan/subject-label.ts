import type { SubjectType } from './action.ts';

const labels: Partial<Record<SubjectType | 'message', string>> = {
  automod: 'AutoMod rule',
  welcomeScreen: 'welcome screen',
};

/** What people call a sort of thing. */
export const subjectLabel = (type: SubjectType | 'message'): string => labels[type] ?? type;

/** A thing with its sort. Of what there is only one, the name says it all. */
export const nameSubject = (type: SubjectType | 'message', name: string): string =>
  type === 'onboarding' || type === 'welcomeScreen' ? name : `${subjectLabel(type)} ${name}`;
