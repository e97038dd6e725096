import type { ActorType } from '@holdfast/contract';
import { useSearchParams } from 'react-router';

export type Filter = { actorType?: ActorType; subjectType?: string; action?: string };

export const actorNames: Record<ActorType, string> = {
  USER: 'You, here',
  KEY: 'An API key',
  SYSTEM: 'Holdfast itself',
  BILLING: 'The payment provider',
};

const isActorType = (text: string | null): text is ActorType => text !== null && text in actorNames;

export const isFiltered = (filter: Filter): boolean => Object.keys(filter).length > 0;

/** What is looked for stands in the address, so that it can be kept and gone back to. */
export const useAuditFilter = () => {
  const [search, setSearch] = useSearchParams();
  const actorType = search.get('actor');
  const subjectType = search.get('subject');
  const action = search.get('action');
  const filter: Filter = {
    ...(isActorType(actorType) && { actorType }),
    ...(subjectType && { subjectType }),
    ...(action && { action }),
  };
  const change = (name: 'actor' | 'subject' | 'action', value: string | null) =>
    setSearch((before) => {
      if (value) before.set(name, value);
      else before.delete(name);
      before.delete('page');
      return before;
    });
  return [filter, change] as const;
};
